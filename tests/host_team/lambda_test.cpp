// SPDX-License-Identifier: Apache-2.0
// The canonical reduction of C++ functors and Kokkos Views.
#include <Kokkos_Core.hpp>
#include <array>
#include <atomic>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <eagle/kokkos.hpp>

#include "folded.hpp"
#include "samples.hpp"
#include "support.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace {

using eagle::Code;
using eagle::Op;
using eagle::Precision;
using support::refusal;
using testing::HasSubstr;

class Lambda : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!Kokkos::is_initialized()) {
      Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
      std::atexit([] {
        if (!Kokkos::is_finalized()) Kokkos::finalize();
      });
    }
  }
};

constexpr int team_sizes[] = {1, 2, 3, 4, 7};

template <class O, class T>
void expect_all(const std::string& kind) {
  for (const std::int64_t n : {0, 1, 63, 1024, 1025, 7173, 100003}) {
    const auto values = samples::generate<T>(kind, 5, static_cast<std::size_t>(n));
    const T* x = values.data();
    for (const int threads : team_sizes)
      ASSERT_EQ(bits(eagle::mapreduce<O>(Kokkos::OpenMP(threads), n, [x](std::int64_t i) { return x[i]; })),
                bits(folded(O::op, values)))
          << kind << " " << n << " on " << threads;
  }
}

TEST_F(Lambda, EveryOpAndType) {
  expect_all<eagle::Sum, double>("cancelling");
  expect_all<eagle::Sum, float>("cancelling");
  expect_all<eagle::Times, double>("near_one");
  expect_all<eagle::Times, float>("near_one");
  expect_all<eagle::Max, double>("specials");
  expect_all<eagle::Max, float>("decades300");
  expect_all<eagle::Land, double>("booleans");
  expect_all<eagle::Sum, std::int64_t>("integers_full_range");
  expect_all<eagle::Times, std::uint64_t>("integers_odd");
  expect_all<eagle::Max, std::int32_t>("integers_full_range");
  expect_all<eagle::Land, std::uint32_t>("booleans");
}

TEST_F(Lambda, CompensatedAndOffsetRanges) {
  const auto values = samples::generate<double>("decades300", 1, 50000);
  const double* x = values.data();
  const std::vector<double> tail(values.begin() + 777, values.end());
  for (const int threads : team_sizes) {
    const Kokkos::OpenMP space(threads);
    const auto f = [x](std::int64_t i) { return x[i]; };
    EXPECT_EQ(bits(eagle::mapreduce<eagle::Sum>(space, 50000, f, Precision::compensated)),
              bits(folded(Op::sum, values, Precision::compensated)));
    EXPECT_EQ(bits(eagle::mapreduce<eagle::Sum>(space, {777, 50000}, f)), bits(folded(Op::sum, tail)))
        << "counted from its own start";
  }
}

TEST_F(Lambda, ComponentsReduceEachByItself) {
  const auto values = samples::generate<double>("cancelling", 2, 30000);
  const double* x = values.data();
  std::vector<double> a, b;
  for (std::size_t i = 0; i < 10000; ++i) a.push_back(x[3 * i]), b.push_back(x[3 * i + 1]);
  for (const int threads : team_sizes) {
    const Kokkos::OpenMP space(threads);
    const auto sums = eagle::mapreduce<eagle::Sum>(
        space, 10000, [x](std::int64_t i) { return std::array<double, 2>{x[3 * i], x[3 * i + 1]}; });
    EXPECT_EQ(bits(sums[0]), bits(folded(Op::sum, a)));
    EXPECT_EQ(bits(sums[1]), bits(folded(Op::sum, b)));
    const auto maxima = eagle::mapreduce<eagle::Max>(
        space, 10000, [x](std::int64_t i) { return Kokkos::Array<double, 2>{x[3 * i], x[3 * i + 1]}; });
    EXPECT_EQ(maxima[1], folded(Op::max, b));
  }
}

TEST_F(Lambda, SpansOfPartsMergeToTheWhole) {
  const std::int64_t n = 20000;
  const auto values = samples::generate<double>("cancelling", 3, n);
  const double* x = values.data();
  const auto f = [x](std::int64_t i) { return x[i]; };
  for (const std::int64_t cut : {1, 1023, 1024, 9999}) {
    auto left = eagle::map_span<eagle::Sum>(Kokkos::OpenMP(2), {0, cut}, f);
    const auto right = eagle::map_span<eagle::Sum>(Kokkos::OpenMP(3), {cut, n}, f);
    left[0].merge(right[0]);
    EXPECT_EQ(bits(left[0].finish(n)), bits(folded(Op::sum, values)));
  }
}

TEST_F(Lambda, CountsBeyond32Bits) {
  for (const std::int64_t n : {(std::int64_t{1} << 31) + 1, (std::int64_t{1} << 32) + 1})
    EXPECT_EQ(eagle::mapreduce<eagle::Sum>(Kokkos::OpenMP(), n, [](std::int64_t i) { return i % 2 == 0 ? 3LL : -3LL; }), 3);
}

TEST_F(Lambda, RangesAreCheckedAndFunctorsAreNotCopiedATile) {
  const auto one = [](std::int64_t) { return 1.0; };
  const Kokkos::OpenMP space(2);
  EXPECT_THAT(
      refusal(Code::partition, [&] { eagle::mapreduce<eagle::Sum>(space, std::numeric_limits<std::size_t>::max(), one); }),
      HasSubstr("beyond 2^62"));
  EXPECT_THAT(refusal(Code::partition,
                      [&] {
                        eagle::for_each(
                            space, {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}, one);
                      }),
              HasSubstr("beyond 2^62"));
  EXPECT_EQ(eagle::mapreduce<eagle::Sum>(space, {10, 3}, one), 0.0);
  struct Counted {
    std::atomic<int>* copies;
    explicit Counted(std::atomic<int>* c) : copies(c) {}
    Counted(const Counted& other) : copies(other.copies) { ++*copies; }
    double operator()(std::int64_t) const { return 1; }
  };
  std::atomic<int> copies = 0;
  EXPECT_EQ(eagle::mapreduce<eagle::Sum>(space, 1000000, Counted(&copies)), 1e6);
  EXPECT_LE(copies, 8);
}

TEST_F(Lambda, IntegerProductsWrap) {
  Kokkos::View<std::int32_t*, Kokkos::HostSpace> x("x", 1);
  x(0) = 46341;
  EXPECT_EQ(eagle::dot(Kokkos::OpenMP(1), x, x), -2147479015);
}

TEST_F(Lambda, ForEachVisitsEveryIndexOnce) {
  for (const int threads : team_sizes) {
    std::vector<int> visits(1000);
    eagle::for_each(Kokkos::OpenMP(threads), {10, 1000}, [&visits](std::int64_t i) { ++visits[static_cast<std::size_t>(i)]; });
    for (std::size_t i = 0; i < visits.size(); ++i) ASSERT_EQ(visits[i], i < 10 ? 0 : 1);
  }
  EXPECT_NO_THROW(eagle::for_each(Kokkos::OpenMP(2), 0, [](std::int64_t) { throw std::logic_error("never"); }));
}

TEST_F(Lambda, ExceptionsComeOut) {
  for (const int threads : team_sizes) {
    const auto f = [](std::int64_t i) -> double {
      if (i == 70000) throw std::runtime_error("at seventy thousand");
      return 1;
    };
    EXPECT_THROW(eagle::mapreduce<eagle::Sum>(Kokkos::OpenMP(threads), 100000, f), std::runtime_error);
    EXPECT_THROW(eagle::for_each(Kokkos::OpenMP(threads), 100000, f), std::runtime_error);
  }
}

TEST_F(Lambda, InsideAParallelRegionIsRefused) {
  std::atomic<int> refused = 0;
  Kokkos::parallel_for(Kokkos::RangePolicy<Kokkos::OpenMP>(0, 2), [&refused](int) {
    try {
      eagle::mapreduce<eagle::Sum>(Kokkos::OpenMP(), 10, [](std::int64_t i) { return i; });
    } catch (const eagle::Error& e) {
      if (e.code() == Code::unavailable) ++refused;
    }
  });
  Kokkos::fence();
  EXPECT_EQ(refused, 2);
}

TEST_F(Lambda, TheCallersRoundingStaysOut) {
  const auto values = samples::generate<double>("cancelling", 4, 5000);
  const double* x = values.data();
  std::fesetround(FE_UPWARD);
  const double sum = eagle::mapreduce<eagle::Sum>(Kokkos::OpenMP(2), 5000, [x](std::int64_t i) { return x[i]; });
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(bits(sum), bits(folded(Op::sum, values)));
}

template <class View>
void fill(const View& view, const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) view(i) = static_cast<typename View::value_type>(values[i]);
}

TEST_F(Lambda, ViewsOfAnyStride) {
  const std::size_t n = 50001;
  const auto xs = samples::generate<double>("cancelling", 6, n), ys = samples::generate<double>("near_one", 7, n);
  std::vector<double> products(n), magnitudes(n);
  for (std::size_t i = 0; i < n; ++i) products[i] = xs[i] * ys[i], magnitudes[i] = std::fabs(xs[i]);
  Kokkos::View<double*, Kokkos::HostSpace> x("x", n), y("y", n);
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> wide("wide", n, 3);
  const auto strided = Kokkos::subview(wide, Kokkos::ALL, 1);
  fill(x, xs), fill(y, ys), fill(strided, xs);
  for (const int threads : team_sizes) {
    const Kokkos::OpenMP space(threads);
    EXPECT_EQ(bits(eagle::sum(space, x)), bits(folded(Op::sum, xs)));
    EXPECT_EQ(bits(eagle::sum(space, strided)), bits(folded(Op::sum, xs)));
    EXPECT_EQ(bits(eagle::sum(space, x, Precision::compensated)), bits(folded(Op::sum, xs, Precision::compensated)));
    EXPECT_EQ(bits(eagle::max(space, strided)), bits(folded(Op::max, xs)));
    EXPECT_EQ(bits(eagle::dot(space, x, y)), bits(folded(Op::sum, products)));
    EXPECT_EQ(bits(eagle::dot(space, strided, y)), bits(folded(Op::sum, products)));
    EXPECT_EQ(bits(eagle::dot(space, x, y, Precision::compensated)), bits(folded(Op::sum, products, Precision::compensated)));
    EXPECT_EQ(bits(eagle::asum(space, x)), bits(folded(Op::sum, magnitudes)));
  }
  const Kokkos::View<double*, Kokkos::HostSpace> shorter("shorter", n - 1);
  EXPECT_THAT(refusal(Code::argument, [&] { eagle::dot(Kokkos::OpenMP(), x, shorter); }), HasSubstr("y has 50000"));
}

TEST_F(Lambda, NormsNeitherOverflowNorUnderflow) {
  const auto norm = [](std::vector<double> values) {
    Kokkos::View<double*, Kokkos::HostSpace> x("x", values.size());
    fill(x, values);
    return eagle::nrm2(Kokkos::OpenMP(2), x);
  };
  const auto norm_float = [](std::vector<double> values) {
    Kokkos::View<float*, Kokkos::HostSpace> x("x", values.size());
    fill(x, values);
    return eagle::nrm2(Kokkos::OpenMP(2), x);
  };
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(norm({3, 4}), 5);
  EXPECT_EQ(norm({3 * 0x1p600, 4 * 0x1p600}), 5 * 0x1p600);
  EXPECT_EQ(norm({3 * 0x1p-1070, -4 * 0x1p-1070}), 5 * 0x1p-1070);
  EXPECT_EQ(norm({0x1p-1074}), 0x1p-1074);
  EXPECT_EQ(norm({std::numeric_limits<double>::max()}), std::numeric_limits<double>::max());
  EXPECT_EQ(norm(std::vector<double>(4096, 0x1p-600)), 0x1p-594);
  EXPECT_EQ(norm({}), 0);
  EXPECT_EQ(norm({0, -0.0}), 0);
  EXPECT_EQ(norm({inf, 1}), inf);
  EXPECT_TRUE(std::isnan(norm({std::nan(""), inf})));
  EXPECT_EQ(norm_float({3 * 0x1p100, 4 * 0x1p100}), 5 * 0x1p100F);
  EXPECT_EQ(norm_float({3 * 0x1p-140, 4 * 0x1p-140}), 5 * 0x1p-140F);
  EXPECT_EQ(norm_float({0x1p-149}), 0x1p-149F);
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040);  // FTZ and DAZ
  const double tiny = norm({3 * 0x1p-1074, 4 * 0x1p-1074});
  _mm_setcsr(_mm_getcsr() & ~0x8040U);
  EXPECT_EQ(tiny, 5 * 0x1p-1074);
#endif
}

}  // namespace
