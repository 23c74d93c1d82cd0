// SPDX-License-Identifier: Apache-2.0
// The worked bodies, called through nothing but the C ABI, on whole runs and on every kind of cut.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>

#include "plugins/host_call.hpp"

namespace {

using testing::Each;
using testing::ElementsAre;

constexpr std::int64_t n = 103;

/// Calls `test` with ways to cut [0, n).
void on_every_cut(const std::function<void(const Parts&)>& test) {
  Parts singles;
  for (std::int64_t i = 0; i < n; ++i) singles.push_back({i, 1, n});
  for (const Parts& parts :
       {Parts{{0, n, n}}, Parts{{0, 50, n}, {50, 0, n}, {50, 53, n}}, Parts{{64, 39, n}, {0, 64, n}}, singles}) {
    SCOPED_TRACE(testing::Message() << parts.size() << " parts, the first of " << parts[0].count);
    test(parts);
  }
}

/// f(0), f(1), ..., f(length - 1)
template <class F>
auto fill(std::int64_t length, F f) {
  std::vector<decltype(f(std::int64_t{}))> values;
  for (std::int64_t i = 0; i < length; ++i) values.push_back(f(i));
  return values;
}

const auto ramp = fill(n, [](std::int64_t i) { return static_cast<double>(i - 50); });
const auto vectors = fill(3 * n, [](std::int64_t k) { return static_cast<double>(k % 17); });
const auto other_vectors = fill(3 * n, [](std::int64_t k) { return static_cast<double>(k % 5 - 2); });
double at(const std::vector<double>& plane, std::int64_t c, std::int64_t i) {
  return plane[static_cast<std::size_t>(c * n + i)];
}

TEST(Body, Axpy) {
  on_every_cut([](const Parts& parts) {
    std::vector<double> y(n, 7);
    HostCall("axpy").scalar(y).scalar(ramp).value(2.0).value(-1.5).run(parts);
    EXPECT_EQ(y, fill(n, [](std::int64_t i) { return 2.0 * static_cast<double>(i) - 101.5; }));
  });
}

TEST(Body, SaxpyReadsWhatItWrites) {
  const auto x = fill(n, [](std::int64_t i) { return static_cast<float>(i); });
  on_every_cut([&](const Parts& parts) {
    std::vector<float> y(n, 7);
    HostCall("saxpy").scalar(y).scalar(x).value(0.5F).run(parts);
    EXPECT_EQ(y, fill(n, [](std::int64_t i) { return 7 + static_cast<float>(i) / 2; }));
  });
}

TEST(Body, Drift3) {
  on_every_cut([](const Parts& parts) {
    std::vector<double> q(3 * n, -1);
    HostCall("drift3").plane(q, n).plane(vectors, n).plane(other_vectors, n).value(0.25).run(parts);
    EXPECT_EQ(q, fill(3 * n, [](std::int64_t k) { return static_cast<double>(k % 17) + static_cast<double>(k % 5 - 2) / 4; }));
  });
}

TEST(Body, Matvec3) {
  const auto m = fill(9 * n, [](std::int64_t k) { return static_cast<double>(k / n + k % n); });  // m(r, k, i) = 3 r + k + i
  on_every_cut([&](const Parts& parts) {
    std::vector<double> y(3 * n, -1);
    HostCall("matvec3").plane(y, n).plane(vectors, n).plane(m, n).run(parts);
    for (std::int64_t r = 0; r < 3; ++r)
      for (std::int64_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::int64_t k = 0; k < 3; ++k) sum += static_cast<double>(3 * r + k + i) * at(vectors, k, i);
        ASSERT_EQ(at(y, r, i), sum) << r << ", " << i;
      }
  });
}

TEST(Body, Outer3) {
  on_every_cut([](const Parts& parts) {
    std::vector<double> m(9 * n, -1);
    HostCall("outer3").plane(m, n).plane(vectors, n).plane(other_vectors, n).run(parts);
    for (std::int64_t c = 0; c < 9; ++c)
      for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(at(m, c, i), at(vectors, c / 3, i) * at(other_vectors, c % 3, i));
  });
}

TEST(Body, HashMixIsSplitmix64) {
  const std::uint64_t step = 0x9e3779b97f4a7c15;
  const auto k = fill(3, [&](std::int64_t i) { return static_cast<std::int64_t>(static_cast<std::uint64_t>(i) * step); });
  std::vector<std::int64_t> h(3);
  HostCall("hash_mix").scalar(h).scalar(k).value(static_cast<std::int64_t>(step)).run({{0, 3, 3}});
  const std::vector<std::uint64_t> bits(h.begin(), h.end());
  EXPECT_THAT(bits, ElementsAre(0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f));
}

TEST(Body, EmitWritesTwoElementsASample) {
  on_every_cut([](const Parts& parts) {
    std::vector<double> pairs(2 * n, 99);
    HostCall("emit").scalar(pairs).scalar(ramp).run(parts);
    EXPECT_EQ(pairs, fill(2 * n, [](std::int64_t k) { return static_cast<double>(k % 2 == 0 ? k / 2 - 50 : 50 - k / 2); }));
  });
}

TEST(Body, NewtonNearsTheRootAtAnUnevenCost) {
  const std::vector<double> x{0, 0.25, 1, 2, 144, 1e300};
  const std::int64_t size = static_cast<std::int64_t>(x.size());
  std::vector<double> root(x.size());
  std::vector<std::int64_t> steps(x.size());
  HostCall("newton").scalar(root).scalar(steps).scalar(x).run({{0, size, size}});
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_DOUBLE_EQ(root[i], std::sqrt(x[i]));
  EXPECT_EQ(steps[2], 0);
  EXPECT_GT(steps[4], 3);
  EXPECT_GT(steps[5], 500);
}

TEST(Body, CountdownEndsSamples) {
  std::vector<std::int64_t> left{1, 2, 3, 9};
  std::vector<std::uint8_t> done{0, 0, 0, 255};
  HostCall call("countdown");
  call.scalar(left).scalar(done);
  call.run({{0, 4, 4}});
  EXPECT_THAT(left, ElementsAre(0, 1, 2, 9));
  EXPECT_THAT(done, ElementsAre(1, 0, 0, 255));
  call.run({{0, 4, 4}});
  EXPECT_THAT(left, ElementsAre(0, 0, 1, 9));
  EXPECT_THAT(done, ElementsAre(1, 1, 0, 255));
}

TEST(Body, Gather) {
  const auto k = fill(n, [](std::int64_t i) { return (7 * i) % 10; });
  const auto table = fill(10, [](std::int64_t i) { return 0.5 * static_cast<double>(i); });
  on_every_cut([&](const Parts& parts) {
    std::vector<double> y(n, -1);
    HostCall("gather").scalar(y).scalar(k).scalar(table).run(parts);
    EXPECT_EQ(y, fill(n, [](std::int64_t i) { return 0.5 * static_cast<double>((7 * i) % 10); }));
  });
}

TEST(Body, InterpIsConstantOutside) {
  const std::vector<double> values{10, 20, 40}, x{-1, 0, 0.5, 1, 1.5, 2, 5};
  std::vector<double> y(7);
  HostCall("interp").scalar(y).scalar(values).scalar(x).run({{0, 7, 7}});
  EXPECT_THAT(y, ElementsAre(10, 10, 15, 20, 30, 40, 40));
}

TEST(Body, InterpTakesOneValueOrNone) {
  const std::vector<double> guarded{-1, 30, -1}, x{-1, 0, 7, std::numeric_limits<double>::quiet_NaN()};
  std::vector<double> y(4, 9);
  HostCall("interp").scalar(y).scalar(guarded.data() + 1, 1).scalar(x).run({{0, 4, 4}});
  EXPECT_THAT(y, Each(30));
  HostCall("interp").scalar(y).scalar(guarded.data() + 1, 0).scalar(x).run({{0, 4, 4}});
  EXPECT_THAT(y, Each(0));
}

TEST(Body, ShiftGoesAroundTheEndOfTheRun) {
  on_every_cut([](const Parts& parts) {
    std::vector<double> y(n);
    HostCall("shift").scalar(y).scalar(ramp).value(std::uint32_t{n}).run(parts);
    EXPECT_EQ(y, fill(n, [](std::int64_t i) { return i == n - 1 ? -102.0 : 1.0; }));
  });
}

TEST(Body, HistogramCountsEdgesOnceAndKeepsWhatIsThere) {
  const std::vector<double> x{-1e300, 0, 0.5, 1, 1.999, 2, 3.999, 4, 1e300};
  std::vector<double> bins{100, 0, 0, 0};
  HostCall("histogram").scalar(bins).scalar(x).value(4.0).value(0.0).value(std::int64_t{4}).run({{0, 9, 9}});
  EXPECT_THAT(bins, ElementsAre(103, 2, 1, 3));
}

TEST(Body, CountIndex) {
  on_every_cut([](const Parts& parts) {
    std::vector<std::int64_t> counts{0, 0, 1000};
    HostCall("count_index").scalar(counts).run(parts);
    EXPECT_THAT(counts, ElementsAre(35, 34, 1034));
  });
}

TEST(Body, DotAndDot3StoreOnePartialASample) {
  on_every_cut([](const Parts& parts) {
    std::vector<double> total(n, -1), total3(n, -1);
    HostCall("dot").scalar(total).scalar(ramp).scalar(ramp).run(parts);
    HostCall("dot3").scalar(total3).plane(vectors, n).plane(other_vectors, n).run(parts);
    for (std::int64_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::int64_t c = 0; c < 3; ++c) sum += at(vectors, c, i) * at(other_vectors, c, i);
      ASSERT_EQ(total[static_cast<std::size_t>(i)], static_cast<double>((i - 50) * (i - 50)));
      ASSERT_EQ(total3[static_cast<std::size_t>(i)], sum);
    }
  });
}

TEST(Body, AsumfTakesMagnitudes) {
  const std::vector<float> x{-1.5F, 0, 2};
  std::vector<float> total(3, 9);
  HostCall("asumf").scalar(total).scalar(x).run({{0, 3, 3}});
  EXPECT_THAT(total, ElementsAre(1.5F, 0, 2));
}

TEST(Body, ProductLeavesTheSlotOfATerminatedSample) {
  const std::vector<double> x{2, 3, 4};
  const std::vector<std::uint8_t> terminated{0, 2, 0};
  std::vector<double> total(3, 1);
  HostCall("product").scalar(total).scalar(x).scalar(terminated).run({{0, 3, 3}});
  EXPECT_THAT(total, ElementsAre(2, 1, 4));
}

TEST(Body, MaximumAndAllFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> x{-3, nan, infinity, -infinity, 0};
  std::vector<double> largest(5, 1);
  std::vector<std::int64_t> finite(5, 7);
  HostCall("maximum").scalar(largest).scalar(x).run({{0, 5, 5}});
  HostCall("all_finite").scalar(finite).scalar(x).run({{0, 5, 5}});
  EXPECT_THAT(largest, ElementsAre(-3, testing::IsNan(), infinity, -infinity, 0));
  EXPECT_THAT(finite, ElementsAre(1, 0, 0, 0, 1));
}

TEST(Body, APartTouchesItsOwnSamplesOnly) {
  std::vector<double> y(n, 7);
  HostCall("axpy").scalar(y).scalar(ramp).value(0.0).value(1.0).run({{10, 5, n}});
  EXPECT_EQ(y, fill(n, [](std::int64_t i) { return i >= 10 && i < 15 ? 1.0 : 7.0; }));
}

/// A handle by which a body's store at global index base + k lands on scratch[k].
std::int64_t* shifted(std::vector<std::int64_t>& scratch, std::int64_t base) {
  return reinterpret_cast<std::int64_t*>(reinterpret_cast<std::uintptr_t>(scratch.data()) -
                                         static_cast<std::uintptr_t>(base) * 8);
}

TEST(Body, SumIndexStoresAtTheGlobalIndexUpToTheLastOfTheIndexWord) {
  struct {
    const char* plugin;
    std::int64_t base;
  } const rows[] = {{"sum_index", (std::int64_t{1} << 32) - 4},
                    {"sum_index", (std::int64_t{1} << 31) - 1},
                    {"sum_index64", (std::int64_t{1} << 32) - 1},
                    {"sum_index64", std::int64_t{1} << 40}};
  for (const auto& row : rows) {
    std::vector<std::int64_t> scratch(3, -1);
    HostCall(symbol(library_of(row.plugin), "sum_index_host"))
        .scalar(shifted(scratch, row.base), 3)
        .run({{row.base, 3, row.base + 3}});
    EXPECT_THAT(scratch, ElementsAre(row.base, row.base + 1, row.base + 2)) << row.plugin;
  }
}

TEST(Body, CountIndex64CountsBeyond32Bits) {
  std::vector<std::int64_t> counts(3);
  const std::int64_t base = (std::int64_t{1} << 32) + 1;  // 2 modulo 3; its low 32 bits are 1 modulo 3
  HostCall(symbol(library_of("count_index64"), "count_index_host")).scalar(counts).run({{base, 1, base + 1}});
  EXPECT_THAT(counts, ElementsAre(0, 0, 1));
}

/// (1 + e)(1 + e) - (1 + 2 e) is e^2 only if product and difference are contracted; e^2 is below half an ulp of the product.
TEST(Body, NothingIsContracted) {
  const std::vector<double> one(3, 1 + 0x1p-27), minus(3, -(1 + 0x1p-26));
  for (const std::string& library : {library_of("axpy"), std::string(EAGLE_TEST_NATIVE_AXPY)}) {
    std::vector<double> y(3, 7);
    HostCall(symbol(library, "axpy_host")).scalar(y).scalar(one).value(one[0]).value(minus[0]).run({{0, 3, 3}});
    EXPECT_THAT(y, Each(0.0)) << library;
  }
  std::vector<double> q(3, 7);
  HostCall("drift3").plane(q, 1).plane(minus, 1).plane(one, 1).value(one[0]).run({{0, 1, 1}});
  EXPECT_THAT(q, Each(0.0));
  std::vector<float> y(3, -(1 + 0x1p-12F));
  const std::vector<float> x(3, 1 + 0x1p-13F);
  HostCall("saxpy").scalar(y).scalar(x).value(x[0]).run({{0, 3, 3}});
  EXPECT_THAT(y, Each(0.0F));
}

}  // namespace
