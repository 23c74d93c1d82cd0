// SPDX-License-Identifier: Apache-2.0
// Mapreduces on a device have the value of the span of their partials, however they are cut.
#include <cmath>

#include "bed.hpp"
#include "folded.hpp"
#include "samples.hpp"

namespace {

using namespace bed;
using eagle::Op;
using eagle::Partition;
using eagle::Precision;

constexpr std::int64_t block = 1024, group = std::int64_t{1} << 20, tile = std::int64_t{1} << 22;

/// Cuts of n, more of them for few samples.
std::vector<std::vector<Partition>> cuts_of(std::int64_t n) {
  if (n <= 2 * block) return support::cuts(n);
  std::vector<std::vector<Partition>> cuts = {{Partition::whole(n)}, eagle::split_evenly(n, 3)};
  for (const std::int64_t at : {block, group, tile})
    if (n > at + 1) cuts.push_back({{0, at - 1, n}, {at - 1, 0, n}, {at - 1, 2, n}, {at + 1, n - at - 1, n}});
  return cuts;
}

template <class T>
void expect_value(const std::string& name, const std::string& output, const eagle::Values& values, std::int64_t n, T expected,
                  std::optional<Precision> precision = {}) {
  const eagle::Plugin body = plugin(name);
  for (const auto& cut : cuts_of(n))
    ASSERT_EQ(bits(on_device(body, {.partitions = cut, .precision = precision}).run(values).value<T>(output)), bits(expected))
        << name << ", n " << n << ", " << cut.size() << " parts";
}

class Mapreduce : public Device {};

TEST_F(Mapreduce, OfEveryOpInEveryCut) {
  for (const std::size_t n : {0, 1, 2, 1023, 1024, 1025, 2049, 7173, 100003}) {
    const auto x = samples::generate<double>("cancelling", 1, n), y = samples::generate<double>("near_one", 2, n);
    const auto xf = samples::generate<float>("cancelling", 3, n);
    std::vector<double> products(n), nears = y;
    std::vector<float> magnitudes(n);
    std::vector<std::uint8_t> off(n);
    for (std::size_t i = 0; i < n; ++i) {
      products[i] = x[i] * y[i];
      magnitudes[i] = std::fabs(xf[i]);
      off[i] = (i / 1024) % 3 == 1 || i % 5 == 0;
      if (off[i] != 0) nears[i] = 1.0;
    }
    const OnDevice<double> at_x(x), at_y(y);
    const OnDevice<float> at_xf(xf);
    const OnDevice<std::uint8_t> at_off(off);
    const auto count = static_cast<std::int64_t>(n);
    expect_value("dot", "total", {{"x", at_x}, {"y", at_y}}, count, folded(Op::sum, products));
    expect_value("dot", "total", {{"x", at_x}, {"y", at_y}}, count, folded(Op::sum, products, Precision::compensated),
                 Precision::compensated);
    expect_value("asumf", "total", {{"x", at_xf}}, count, folded(Op::sum, magnitudes));
    expect_value("asumf", "total", {{"x", at_xf}}, count, folded(Op::sum, magnitudes, Precision::compensated),
                 Precision::compensated);
    expect_value("product", "total", {{"x", at_y}, {"terminated", at_off}}, count, folded(Op::times, nears));
    expect_value("maximum", "largest", {{"x", at_x}}, count, folded(Op::max, x));
    expect_value("all_finite", "finite", {{"x", at_x}}, count, std::int64_t{1});
    expect_value("sum_index", "total", {}, count, count * (count - 1) / 2);
  }
}

/// Where blocks, groups of blocks and tiles end.
TEST_F(Mapreduce, AroundEveryBorder) {
  for (const std::int64_t n : {group - 1, group, group + 1, tile - 1, tile, tile + 1, 2 * tile + group + block + 7})
    expect_value("sum_index64", "total", {}, n, n * (n - 1) / 2);
  constexpr std::int64_t n = tile + group + block + 7;
  const auto x = samples::generate<double>("uniform", 1, n);
  const OnDevice<double> at_x(x);
  expect_value("maximum", "largest", {{"x", at_x}}, n, folded(Op::max, x));
  std::vector<double> squares(x);
  for (double& each : squares) each *= each;
  expect_value("dot", "total", {{"x", at_x}, {"y", at_x}}, n, folded(Op::sum, squares));
}

TEST_F(Mapreduce, OfTwoOutputs) {
  std::vector<double> x(5000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 3 == 0 ? -1.0 : static_cast<double>(i);
  const auto body = eagle::load(std::filesystem::path(EAGLE_OWN_BUNDLES) / "moments").only();
  const auto result = on_device(body, {.npartitions = 4}, {.staging = true}).run({{"x", view(x)}});
  EXPECT_EQ(result.value<std::int64_t>("count"), 3333);
  EXPECT_EQ(result.value<double>("total"), 4999.0 * 5000 / 2 - 3.0 * 1666 * 1667 / 2);
}

TEST_F(Mapreduce, LaunchedAgainGivesTheSame) {
  std::vector<double> x(3000, 1.0);
  OnDevice<double> at_x(x);
  auto bound = on_device(plugin("dot"), {.npartitions = 3}).bind({{"x", at_x}, {"y", at_x}});
  EXPECT_THAT(refusal(Code::argument, [&] { static_cast<void>(bound.result()); }), HasSubstr("no folded value"));
  for (int k = 0; k < 3; ++k) bound.launch();
  EXPECT_EQ(bound.result().value<double>("total"), 3000.0);
  EXPECT_EQ(bound.result().value<double>("total"), 3000.0);
  bound.launch();
  EXPECT_EQ(bound.result().value<double>("total"), 3000.0);
}

/// combine=false: a plane of partials, where samples that the body skips keep the identity.
TEST_F(Mapreduce, PlanesOfPartials) {
  std::vector<double> x = {2, 3, 4, 5}, total(4, -7.0);
  std::vector<std::uint8_t> off = {0, 1, 0, 1};
  const OnDevice<double> at_x(x), at_total(total);
  const OnDevice<std::uint8_t> at_off(off);
  const auto plan = on_device(plugin("product"), {.npartitions = 2, .combine = false});
  EXPECT_THAT(values_of<double>(plan.run({{"x", at_x}, {"terminated", at_off}}).array("total")),
              testing::ElementsAre(2, 1, 4, 1));
  auto bound = plan.bind({{"x", at_x}, {"terminated", at_off}, {"total", at_total}});
  bound.launch();
  static_cast<void>(bound.result());
  EXPECT_THAT(at_total.values(), testing::ElementsAre(2, 1, 4, 1));
  const OnDevice<std::uint8_t> others(std::vector<std::uint8_t>{1, 0, 1, 0});
  bound.rebind("terminated", others);
  bound.launch();
  static_cast<void>(bound.result());
  EXPECT_THAT(at_total.values(), testing::ElementsAre(1, 3, 1, 5));
  on_device(plugin("product"), {.combine = false}, {.staging = true})
      .run({{"x", view(x)}, {"terminated", view(off)}, {"total", view(total)}});
  EXPECT_THAT(total, testing::ElementsAre(2, 1, 4, 1));
}

}  // namespace
