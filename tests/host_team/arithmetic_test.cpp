// SPDX-License-Identifier: Apache-2.0
// Bundles against their arithmetic, written out here.
#include <eagle/eagle.hpp>

#include <cmath>
#include <numeric>

#include "support.hpp"

namespace {

using eagle::DType;

eagle::Plan plan_of(const std::filesystem::path& path, eagle::PlanOptions options = {}) {
  if (!options.structure) options.structure = eagle::host_team({.threads = 2});
  return eagle::plan(eagle::load(path).only(), std::move(options));
}

constexpr std::size_t n = 10007;

TEST(Arithmetic, MixedBundleMadeElsewhere) {
  std::vector<std::int64_t> k(n), j(n);
  std::vector<double> x(n), y(n);
  std::iota(k.begin(), k.end(), -5000);
  for (std::size_t i = 0; i < n; ++i) x[i] = 0.25 * static_cast<double>(i);
  plan_of(support::data("bundles/mixed_two"), {.npartitions = 3})
      .run({{"j", eagle::view(j)}, {"y", eagle::view(y)}, {"k", eagle::view(k)}, {"x", eagle::view(x)}, {"s", 3}});
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(j[i], k[i] + 3);
    ASSERT_EQ(y[i], static_cast<double>(i) / static_cast<double>(n) + (x[i] + static_cast<double>(k[i] * 3)));
  }
}

TEST(Arithmetic, MatrixBundleMadeElsewhere) {
  std::vector<double> m = support::uniforms(6 * n, 1), x = support::uniforms(3 * n, 2);
  const auto result =
      plan_of(support::data("bundles/matvec_two"))
          .run({{"m", eagle::view(m.data(), DType::float64, {2, 3, n})}, {"x", eagle::view(x.data(), DType::float64, {3, n})}});
  EXPECT_EQ(result.array("mt").shape, (eagle::Extents{6, n}));
  const auto* mt = static_cast<const double*>(result.array("mt").data);
  const auto* y = static_cast<const double*>(result.array("y").data);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t r = 0; r < 2; ++r) {
      double sum = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        ASSERT_EQ(mt[(c * 2 + r) * n + i], m[(r * 3 + c) * n + i]);
        sum += m[(r * 3 + c) * n + i] * x[c * n + i];
      }
      ASSERT_NEAR(y[r * n + i], sum, 1e-15 * 8);
    }
}

TEST(Arithmetic, PartialsOfAMapreduceAreSeededWithTheIdentity) {
  std::vector<double> x(n, -3.0);
  std::vector<std::uint8_t> terminated(n);
  for (std::size_t i = 0; i < n; i += 3) terminated[i] = 1;
  const eagle::Values values = {{"x", eagle::view(x)}, {"terminated", eagle::view(terminated)}};
  const auto run = [&](const std::filesystem::path& path) {
    return plan_of(path, {.npartitions = 5, .combine = false}).run(values);
  };
  const auto product = run(support::bundle("product"));
  const auto guarded = run(support::data("bundles/mr_sum_guard"));
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(static_cast<const double*>(product.array("total").data)[i], i % 3 == 0 ? 1.0 : -3.0);
    ASSERT_EQ(static_cast<const double*>(guarded.array("total").data)[i], i % 3 == 0 ? 0.0 : -3.0);
  }
  std::vector<double> given(n, 77.0);
  auto with_given = values;
  with_given.emplace("total", eagle::view(given));
  plan_of(support::bundle("product"), {.combine = false}).run(with_given);
  EXPECT_EQ(given[0], 1.0);
  EXPECT_EQ(given[1], -3.0);
}

TEST(Arithmetic, CrossSampleWritesAddUpInAGivenPlane) {
  std::vector<double> x = support::uniforms(n, 3), bins(8, 10.0), expected(8, 10.0);
  for (const double value : x) expected[static_cast<std::size_t>(value * 8)] += 1;
  const auto result = plan_of(support::bundle("histogram"))
                          .run({{"bins", eagle::view(bins)}, {"x", eagle::view(x)}, {"lo", 0.0}, {"hi", 1.0}, {"nbins", 8}});
  EXPECT_EQ(bins, expected);
  EXPECT_EQ(result.array("bins").data, bins.data());
}

TEST(Arithmetic, MutablesThatAreNotGivenStartFromTheirDefault) {
  const auto result = plan_of(support::bundle("countdown"), {.n_samples = 5}).run({});
  ASSERT_EQ(result.outputs().size(), 2U);
  EXPECT_EQ(result.outputs()[0].name, "left");
  EXPECT_EQ(result.outputs()[1].name, "done");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(static_cast<const std::int64_t*>(result.array("left").data)[i], 2);
  std::vector<std::int64_t> left = {1, 2, 0, 5, 1};
  std::vector<std::uint8_t> done = {0, 0, 0, 1, 1};
  const auto given = plan_of(support::bundle("countdown")).run({{"left", eagle::view(left)}, {"done", eagle::view(done)}});
  EXPECT_EQ(left, (std::vector<std::int64_t>{0, 1, -1, 5, 1}));
  EXPECT_EQ(done, (std::vector<std::uint8_t>{1, 0, 0, 1, 1}));
  EXPECT_EQ(given.outputs().size(), 1U) << "a given terminated plane is written in place and not returned";
}

TEST(Arithmetic, PlanesOfTheirOwnLength) {
  std::vector<double> x = {0.5, 1.5, -1, 9}, values = {0, 10, 40}, pairs(8, 7.0);
  const auto y = plan_of(support::bundle("interp")).run({{"values", eagle::view(values)}, {"x", eagle::view(x)}});
  const auto* got = static_cast<const double*>(y.array("y").data);
  EXPECT_THAT(std::vector<double>(got, got + 4), testing::ElementsAre(5, 25, 0, 40));
  plan_of(support::bundle("emit")).run({{"pairs", eagle::view(pairs)}, {"x", eagle::view(x)}});
  EXPECT_THAT(pairs, testing::ElementsAre(0.5, -0.5, 1.5, -1.5, -1, 1, 9, -9));
}

TEST(Arithmetic, NoSamplesGiveEmptyPlanes) {
  std::vector<double> x;
  const auto result = plan_of(support::bundle("axpy"), {.npartitions = 3}).run({{"x", eagle::view(x)}, {"a", 1.0}, {"b", 1.0}});
  EXPECT_EQ(result.array("y").shape, (eagle::Extents{0}));
  const auto vectors = plan_of(support::bundle("drift3"), {.n_samples = 0})
                           .run({{"p", eagle::view(x.data(), DType::float64, {3, 0})},
                                 {"v", eagle::view(x.data(), DType::float64, {3, 0})},
                                 {"dt", 1.0}});
  EXPECT_EQ(vectors.array("q").shape, (eagle::Extents{3, 0}));
}

}  // namespace
