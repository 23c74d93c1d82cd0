// SPDX-License-Identifier: Apache-2.0
// A mapreduce has one value, whatever the threads, tiles and partitions: that of the span of its partials.
#include <eagle/eagle.hpp>

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <map>
#include <thread>

#include "folded.hpp"
#include "samples.hpp"
#include "support.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace {

using eagle::Code;
using eagle::Op;
using support::refusal;
using testing::HasSubstr;

struct Team {
  int threads;
  eagle::Schedule schedule;
  std::int64_t tile;
};
constexpr Team teams[] = {
    {1, eagle::Schedule::static_, 0}, {2, eagle::Schedule::static_, 0},    {3, eagle::Schedule::static_, 0},
    {4, eagle::Schedule::static_, 0}, {7, eagle::Schedule::static_, 0},    {2, eagle::Schedule::dynamic, 0},
    {4, eagle::Schedule::dynamic, 1}, {3, eagle::Schedule::dynamic, 5000}, {1, eagle::Schedule::dynamic, 700}};

const eagle::Plugin& plugin(const std::string& name) {
  static std::map<std::string, eagle::Plugin> plugins;
  return plugins.try_emplace(name, eagle::load(support::bundle(name)).only()).first->second;
}

eagle::Plan plan_of(const std::string& name, const Team& team, eagle::PlanOptions options = {}) {
  options.structure = eagle::host_team({team.threads, team.schedule, team.tile, {}});
  return eagle::plan(plugin(name), std::move(options));
}

/// Runs in many cuts on every team; each value must have the bits of `expected`.
template <class T>
void expect_value(const std::string& name, const std::string& output, const eagle::Values& values, std::int64_t n, T expected,
                  std::optional<eagle::Precision> precision = {}) {
  auto cuts = support::cuts(n);
  for (const std::int64_t at :
       {std::int64_t{1}, std::int64_t{63}, std::int64_t{1023}, std::int64_t{1024}, std::int64_t{1025}, n - 1})
    if (at > 0 && at < n) cuts.push_back({{0, at, n}, {at, n - at, n}});
  for (const auto& cut : cuts)
    for (const Team& team : teams) {
      const auto result = plan_of(name, team, {.partitions = cut, .precision = precision}).run(values);
      ASSERT_EQ(bits(result.value<T>(output)), bits(expected))
          << name << ": " << cut.size() << " parts, " << team.threads << " threads, tile " << team.tile;
    }
}

class Mapreduce : public testing::TestWithParam<std::int64_t> {};

TEST_P(Mapreduce, EveryOpInEveryCut) {
  const std::int64_t n = GetParam();
  const auto count = static_cast<std::size_t>(n);
  const auto x = samples::generate<double>("cancelling", 1, count), y = samples::generate<double>("near_one", 2, count);
  const auto xf = samples::generate<float>("cancelling", 3, count);
  std::vector<double> products(count), nears = y;
  std::vector<float> magnitudes(count);
  std::vector<std::uint8_t> terminated(count);
  for (std::size_t i = 0; i < count; ++i) {
    products[i] = x[i] * y[i];
    magnitudes[i] = std::fabs(xf[i]);
    // Whole blocks are masked, and single samples: a masked one contributes the identity.
    terminated[i] = (i / 1024) % 3 == 1 || i % 5 == 0;
    if (terminated[i] != 0) nears[i] = 1.0;
  }
  const eagle::Values pair = {{"x", eagle::view(x)}, {"y", eagle::view(y)}};
  expect_value("dot", "total", pair, n, folded(Op::sum, products));
  expect_value("dot", "total", pair, n, folded(Op::sum, products, eagle::Precision::compensated),
               eagle::Precision::compensated);
  expect_value("asumf", "total", {{"x", eagle::view(xf)}}, n, folded(Op::sum, magnitudes));
  expect_value("product", "total", {{"x", eagle::view(y)}, {"terminated", eagle::view(terminated)}}, n,
               folded(Op::times, nears));
  expect_value("maximum", "largest", {{"x", eagle::view(x)}}, n, folded(Op::max, x));
  expect_value("all_finite", "finite", {{"x", eagle::view(x)}}, n, std::int64_t{1});
}

INSTANTIATE_TEST_SUITE_P(Sizes, Mapreduce, testing::Values(1, 2, 1023, 1024, 1025, 2049, 7173, 100003));

TEST(MapreduceValues, IndexOnlyByArithmetic) {
  for (const std::int64_t n : {0, 1, 1000, 100003}) expect_value("sum_index", "total", {}, n, n * (n - 1) / 2);
  const auto result = plan_of("sum_index", teams[1], {.n_samples = 1 << 20}).run({});
  EXPECT_EQ(result.value<std::int64_t>("total"), (std::int64_t{1} << 19) * ((1 << 20) - 1));
  EXPECT_TRUE(result.array("total").shape.empty());
}

TEST(MapreduceValues, CountsAboveTwoToThe31AndTwoToThe32) {
  const auto sum = [](const std::string& name, std::uint64_t n) {
    const auto result = plan_of(name, teams[1], {.npartitions = 3, .n_samples = static_cast<std::int64_t>(n)}).run({});
    return static_cast<std::uint64_t>(result.value<std::int64_t>("total"));
  };
  const auto expected = [](std::uint64_t n) { return n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n; };
  EXPECT_EQ(sum("sum_index", (std::uint64_t{1} << 31) + 1), expected((std::uint64_t{1} << 31) + 1));
  EXPECT_EQ(sum("sum_index64", (std::uint64_t{1} << 32) + 1), expected((std::uint64_t{1} << 32) + 1));
  EXPECT_THAT(refusal(Code::limit, [&] { sum("sum_index", std::uint64_t{1} << 32); }), HasSubstr("index word is 4 bytes"));
}

TEST(MapreduceValues, MaximaThatAreEasilyLost) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto max_of = [](std::vector<double> x) {
    return plan_of("maximum", teams[1]).run({{"x", eagle::view(x)}}).value<double>("largest");
  };
  EXPECT_EQ(max_of(std::vector<double>(5000, -3.5)), -3.5);
  EXPECT_EQ(max_of(std::vector<double>(5000, -inf)), -inf);
  std::vector<double> x(5000, 1.0);
  x[4000] = std::bit_cast<double>(0xfff800000000beefULL);
  EXPECT_EQ(bits(max_of(x)), 0x7ff8000000000000U);
  std::vector<double> zeros(5000, -0.0);
  EXPECT_EQ(bits(max_of(zeros)), bits(-0.0));
  zeros[3] = 0.0;
  EXPECT_EQ(bits(max_of(zeros)), bits(0.0));
}

TEST(MapreduceValues, SubnormalsAndRoundingAreTheDefinitions) {
  const std::vector<double> tiny(4096, 0x1p-1074), ones(4096, 1.0);
  std::fesetround(FE_UPWARD);
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
  std::vector<double> totals;
  for (const Team& team : teams)
    totals.push_back(plan_of("dot", team, {.npartitions = 3})
                         .run({{"x", eagle::view(tiny)}, {"y", eagle::view(ones)}})
                         .value<double>("total"));
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() & ~0x8040U);
#endif
  std::fesetround(FE_TONEAREST);
  EXPECT_THAT(totals, testing::Each(0x1p-1062));
}

/// A body's mode ends with its call, here a block.
TEST(MapreduceValues, TheModeThatABodyLeavesStaysOutOfTheNextCall) {
  constexpr std::int64_t block = 1024;
  const std::vector<double> x(4 * block, 0x1p-1073);
  for (const Team& team : teams) {
    const auto plan = eagle::plan(eagle::load(std::filesystem::path(EAGLE_OWN_BUNDLES) / "rounding").only(),
                                  {.structure = eagle::host_team({team.threads, team.schedule, team.tile, {}})});
    const auto result = plan.run({{"x", eagle::view(x)}, {"last", block - 1}});
    EXPECT_EQ(result.value<double>("total"), 0x1p-1074 * double(x.size()));
  }
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_EQ(std::fetestexcept(FE_DIVBYZERO), 0);
}

TEST(MapreduceValues, AThousandRepeatsUnderLoad) {
  constexpr std::size_t n = 20011;
  const auto x = samples::generate<double>("cancelling", 7, n), y = samples::generate<double>("near_one", 8, n);
  std::vector<double> products(n);
  for (std::size_t i = 0; i < n; ++i) products[i] = x[i] * y[i];
  const std::uint64_t expected = bits(folded(Op::sum, products));
  std::jthread load([](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
    }
  });
  for (const int threads : {1, 2, 3, 4, 7}) {
    auto bound = plan_of("dot", {threads, eagle::Schedule::dynamic, 1500}, {.npartitions = 2})
                     .bind({{"x", eagle::view(x)}, {"y", eagle::view(y)}});
    for (int k = 0; k < 1000; ++k) {
      bound.launch();
      ASSERT_EQ(bits(bound.result().value<double>("total")), expected) << threads << " threads";
    }
  }
}

TEST(MapreduceValues, EmptyRunsGiveTheIdentity) {
  std::vector<double> none;
  EXPECT_EQ(plan_of("dot", teams[1]).run({{"x", eagle::view(none)}, {"y", eagle::view(none)}}).value<double>("total"), 0.0);
  EXPECT_EQ(plan_of("product", teams[1], {.n_samples = 0}).run({{"x", eagle::view(none)}}).value<double>("total"), 1.0);
  EXPECT_EQ(plan_of("maximum", teams[1]).run({{"x", eagle::view(none)}}).value<double>("largest"),
            -std::numeric_limits<double>::infinity());
  EXPECT_EQ(plan_of("all_finite", teams[1]).run({{"x", eagle::view(none)}}).value<std::int64_t>("finite"), 1);
}

/// In one lane a rounded -(1 + 2^-26) meets a product that an FMA would leave unrounded: exactly 0, or 2^-54 if contracted.
TEST(MapreduceValues, NothingIsContractedAcrossTheSampleBorder) {
  for (const std::size_t n : {std::size_t{1024}, std::size_t{700}, std::size_t{1500}})
    for (const bool product_first : {false, true}) {
      std::vector<double> x(n), y(n);
      const std::size_t first = product_first ? 74 : 10, second = product_first ? 10 : 74;
      x[first] = -(1 + 0x1p-26), y[first] = 1;
      x[second] = y[second] = 1 + 0x1p-27;
      for (const Team& team : teams)
        EXPECT_EQ(
            plan_of("dot", team, {.npartitions = 3}).run({{"x", eagle::view(x)}, {"y", eagle::view(y)}}).value<double>("total"),
            0.0);
    }
}

TEST(MapreducePlans, RebindKeepsWhatIsFolded) {
  std::vector<double> x = {1, 2}, y = {3, 4}, other = {7, 7};
  auto bound = plan_of("dot", teams[1]).bind({{"x", eagle::view(x)}, {"y", eagle::view(y)}});
  EXPECT_THAT(refusal(Code::argument, [&] { bound.rebind("total", eagle::view(other)); }), HasSubstr("combine=false"));
  EXPECT_THAT(refusal(Code::argument, [&] { bound.rebind("total", 2.0); }), HasSubstr("combine=false"));
  bound.launch();
  EXPECT_EQ(bound.result().value<double>("total"), 11.0);
  bound.rebind("x", eagle::view(other));
  bound.launch();
  EXPECT_EQ(bound.result().value<double>("total"), 49.0);
  auto single = plan_of("dot", teams[1], {.combine = false}).bind({{"x", 2.0}, {"y", 3.0}});
  EXPECT_THAT(refusal(Code::type, [&] { single.rebind("total", 2.0); }), HasSubstr("an array is due"));
}

TEST(MapreducePlans, ThereIsNoValueBeforeALaunchHasEnded) {
  std::vector<double> x = {1, 2};
  auto bound = plan_of("maximum", teams[1]).bind({{"x", eagle::view(x)}});
  EXPECT_THAT(refusal(Code::argument, [&] { static_cast<void>(bound.result()); }), HasSubstr("no folded value"));
  bound.launch();
  EXPECT_EQ(bound.result().value<double>("largest"), 2.0);
}

TEST(MapreducePlans, RefuseWhatDoesNotFold) {
  std::vector<double> x(10), total(10);
  EXPECT_THAT(refusal(Code::argument,
                      [&] { plan_of("maximum", teams[0]).run({{"x", eagle::view(x)}, {"largest", eagle::view(total)}}); }),
              HasSubstr("combine=false"));
  EXPECT_THAT(refusal(Code::placement, [] { plan_of("maximum", teams[0], {.precision = eagle::Precision::compensated}); }),
              HasSubstr("precision 'compensated' is for sums"));
  EXPECT_THAT(refusal(Code::placement, [] { plan_of("sum_index", teams[0], {.precision = eagle::Precision::compensated}); }),
              HasSubstr("not for sum of int64"));
  EXPECT_THAT(refusal(Code::placement, [] { plan_of("axpy", teams[0], {.precision = eagle::Precision::working}); }),
              HasSubstr("only a mapreduce combines"));
  EXPECT_THAT(refusal(Code::placement,
                      [] { plan_of("dot", teams[0], {.combine = false, .precision = eagle::Precision::compensated}); }),
              HasSubstr("folds nothing"));
}

}  // namespace
