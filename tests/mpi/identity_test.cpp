// SPDX-License-Identifier: Apache-2.0
// On any number of ranks and in any partitions: the planes and values of one process, bit for bit, on every rank.
#include "bed.hpp"
#include "core/temporary_folder.hpp"
#include "profiles.hpp"

namespace {

using eagle::view;

void expect_one_answer(const std::string& name, std::int64_t n, const eagle::Values& values, eagle::PlanOptions options = {}) {
  options.n_samples = n;
  const eagle::Result whole = bed::single(name, options).run(values);
  ASSERT_FALSE(whole.outputs().empty());
  for (const auto& cut : support::cuts(n)) {
    options.partitions = cut;
    const std::string what = name + ", n " + std::to_string(n) + ", " + std::to_string(cut.size()) + " parts";
    for (const int threads : {1, 2})
      bed::expect_same(whole, bed::on_ranks(name, options, MPI_COMM_WORLD, true, threads).run(values), what);
  }
}

class Ranks : public testing::TestWithParam<std::int64_t> {};

TEST_P(Ranks, PlanesOfEveryTypeAndShape) {
  const std::int64_t n = GetParam();
  const auto count = static_cast<std::size_t>(n);
  auto x = support::uniforms(count, 1), p = support::uniforms(3 * count, 2), v = support::uniforms(3 * count, 3);
  auto m = support::uniforms(9 * count, 4);
  std::vector<float> xf(x.begin(), x.end());
  std::vector<std::int64_t> k(count);
  for (std::size_t i = 0; i < count; ++i) k[i] = static_cast<std::int64_t>(support::mixed(i));
  const auto plane = [&](std::vector<double>& a, std::int64_t w) { return view(a.data(), eagle::DType::float64, {w, n}); };
  expect_one_answer("axpy", n, {{"x", view(x)}, {"a", 2.0}, {"b", -1.5}});
  expect_one_answer("saxpy", n, {{"x", view(xf)}, {"a", 2.0}});
  expect_one_answer("drift3", n, {{"p", plane(p, 3)}, {"v", plane(v, 3)}, {"dt", 0.1}});
  expect_one_answer("matvec3", n, {{"x", plane(p, 3)}, {"m", view(m.data(), eagle::DType::float64, {3, 3, n})}});
  expect_one_answer("outer3", n, {{"a", plane(p, 3)}, {"b", plane(v, 3)}});
  expect_one_answer("hash_mix", n, {{"k", view(k)}, {"seed", 7}});
  expect_one_answer("newton", n, {{"x", view(x)}});
  expect_one_answer("countdown", n, {});
}

TEST_P(Ranks, GathersFromReplicatedTables) {
  const std::int64_t n = GetParam();
  const auto x = support::uniforms(static_cast<std::size_t>(n), 1), table = support::uniforms(1000, 5);
  std::vector<std::int64_t> k(x.size());
  for (std::size_t i = 0; i < k.size(); ++i) k[i] = static_cast<std::int64_t>(support::mixed(i) % table.size());
  expect_one_answer("gather", n, {{"k", view(k)}, {"table", view(table)}});
  if (n > 0) expect_one_answer("shift", n, {{"x", view(x)}});
}

TEST_P(Ranks, MapreducesOfEveryOp) {
  const std::int64_t n = GetParam();
  const auto x = support::uniforms(static_cast<std::size_t>(n), 1), y = support::uniforms(x.size(), 2);
  const std::vector<float> xf(x.begin(), x.end());
  std::vector<std::uint8_t> off(x.size());
  for (std::size_t i = 0; i < off.size(); ++i) off[i] = i % 3 == 0;
  expect_one_answer("dot", n, {{"x", view(x)}, {"y", view(y)}});
  expect_one_answer("dot", n, {{"x", view(x)}, {"y", view(y)}}, {.precision = eagle::Precision::compensated});
  expect_one_answer("dot", n, {{"x", view(x)}, {"y", view(y)}}, {.combine = false});
  expect_one_answer("asumf", n, {{"x", view(xf)}});
  expect_one_answer("product", n, {{"x", view(x)}, {"terminated", view(off)}});
  expect_one_answer("maximum", n, {{"x", view(x)}});
  expect_one_answer("all_finite", n, {{"x", view(x)}});
  expect_one_answer("sum_index", n, {});
}

INSTANTIATE_TEST_SUITE_P(Samples, Ranks, testing::Values(0, 1, 2, 5, 64, 1021, 1024, 4099, 20011));

/// A profile that knows the size of some parts and not of others.
TEST(RanksProfile, ChangesNoBit) {
  const TemporaryFolder folder;
  const std::int64_t n = 20011;
  const auto x = support::uniforms(static_cast<std::size_t>(n), 1), y = support::uniforms(x.size(), 2);
  const eagle::Plugin dot = bed::plugin("dot");
  eagle::PlanOptions options = {.partitions = {{0, 11, n}, {11, n - 11, n}}};
  const auto whole = bed::single("dot", options).run({{"x", view(x)}, {"y", view(y)}});
  options.structure = eagle::rank_partition(MPI_COMM_WORLD, eagle::host_team());
  options.profile = support::profile_of(folder / "p.json", dot, n / bed::size(),
                                        {.threads = 2, .schedule = eagle::Schedule::dynamic, .tile = 100});
  bed::expect_same(whole, eagle::plan(dot, options).run({{"x", view(x)}, {"y", view(y)}}), "dot with a profile");
}

/// Each rank gives a plane that is wrong wherever it does not write itself.
TEST(RanksGather, OverwritesWhatOthersHaveWritten) {
  const std::size_t n = 10007;
  const auto x = support::uniforms(n, 1);
  std::vector<double> y(n, -1000.0 - bed::rank());
  bed::on_ranks("axpy", {.npartitions = 3}).run({{"x", view(x)}, {"y", view(y)}, {"a", 2.0}, {"b", 1.0}});
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(y[i], 2.0 * x[i] + 1.0) << i;
}

TEST(RanksGather, RowsThatAreFarApartStayWithinThem) {
  const std::int64_t n = 1001, stride = 1500;
  auto p = support::uniforms(3 * 1001, 1);
  std::vector<double> q(3 * 1500, -7.0), v(3 * 1001, 1.0);
  const auto rows = eagle::view(q.data(), eagle::DType::float64, {3, n}, {stride, 1});
  bed::on_ranks("drift3", {.npartitions = 2})
      .run({{"q", rows},
            {"p", view(p.data(), eagle::DType::float64, {3, n})},
            {"v", view(v.data(), eagle::DType::float64, {3, n})},
            {"dt", 0.5}});
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < 1500; ++i)
      ASSERT_EQ(q[c * 1500 + i], i < 1001 ? p[c * 1001 + i] + 0.5 * 1.0 : -7.0) << c << " " << i;
}

TEST(RanksGather, WithoutItEachRankHasItsOwnSamplesOnly) {
  const std::int64_t n = 1013;
  const auto x = support::uniforms(1013, 1);
  std::vector<double> y(1013, -1.0);
  bed::on_ranks("axpy", {}, MPI_COMM_WORLD, false).run({{"x", view(x)}, {"y", view(y)}, {"a", 2.0}, {"b", 1.0}});
  const eagle::Partition mine = eagle::part_of(eagle::Partition::whole(n), bed::size(), bed::rank());
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    ASSERT_EQ(y[k], i >= mine.base && i < mine.end() ? 2.0 * x[k] + 1.0 : -1.0) << i;
  }
  const double whole = bed::single("dot").run({{"x", view(x)}, {"y", view(x)}}).value<double>("total");
  const double split =
      bed::on_ranks("dot", {}, MPI_COMM_WORLD, false).run({{"x", view(x)}, {"y", view(x)}}).value<double>("total");
  EXPECT_EQ(whole, split);
}

TEST(RanksBound, LaunchAgainAndAgain) {
  std::vector<double> x = support::uniforms(5003, 1), y(x.size());
  auto bound = bed::on_ranks("dot").bind({{"x", view(x)}, {"y", view(x)}});
  for (int k = 0; k < 5; ++k) {
    for (double& each : x) each += 1;
    bound.launch();
    const double expected = bed::single("dot").run({{"x", view(x)}, {"y", view(x)}}).value<double>("total");
    ASSERT_EQ(bound.result().value<double>("total"), expected);
  }
}

/// Communicators that are a part of the world, in another order, and two that take turns.
TEST(RanksCommunicators, PartsReorderedAndTwoAtOnce) {
  MPI_Comm halves = MPI_COMM_NULL, reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, bed::rank() % 2, bed::rank(), &halves);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -bed::rank(), &reversed);
  const auto x = support::uniforms(3001, 1);
  const eagle::Values values = {{"x", view(x)}, {"y", view(x)}};
  const eagle::Result whole = bed::single("dot").run(values);
  const eagle::Plan first = bed::on_ranks("dot", {.npartitions = 2}, halves), second = bed::on_ranks("dot", {}, reversed);
  for (int k = 0; k < 3; ++k) {
    bed::expect_same(whole, first.run(values), "a half of the world");
    bed::expect_same(whole, second.run(values), "the world reversed");
  }
  bed::expect_same(bed::single("axpy").run({{"x", view(x)}, {"a", 1.0}, {"b", 2.0}}),
                   bed::on_ranks("axpy", {}, reversed).run({{"x", view(x)}, {"a", 1.0}, {"b", 2.0}}), "a plane, reversed");
  MPI_Comm_free(&halves);
  MPI_Comm_free(&reversed);
}

}  // namespace
