// SPDX-License-Identifier: Apache-2.0
// However a run is cut, its bits are those of the whole run on one thread.
#include <eagle/eagle.hpp>

#include "support.hpp"

namespace {

struct Team {
  int threads;
  eagle::Schedule schedule;
  std::int64_t tile;
};
constexpr Team teams[] = {{1, eagle::Schedule::static_, 0},   {2, eagle::Schedule::static_, 0},
                          {4, eagle::Schedule::static_, 0},   {7, eagle::Schedule::static_, 0},
                          {2, eagle::Schedule::dynamic, 0},   {4, eagle::Schedule::dynamic, 256},
                          {3, eagle::Schedule::dynamic, 1009}};

/// Runs the plugin in every cut on every team and compares every output that eagle makes with the whole run on one thread.
void expect_one_answer(const std::string& name, std::int64_t n, const eagle::Values& values) {
  const eagle::Bundle bundle = eagle::load(support::bundle(name));
  const auto run = [&](const Team& team, std::vector<eagle::Partition> parts) {
    return eagle::plan(bundle.only(), {.structure = eagle::host_team({team.threads, team.schedule, team.tile, {}}),
                                       .partitions = std::move(parts)})
        .run(values);
  };
  const eagle::Result whole = run(teams[0], {eagle::Partition::whole(n)});
  ASSERT_FALSE(whole.outputs().empty());
  for (const auto& cut : support::cuts(n))
    for (const Team& team : teams) {
      const eagle::Result split = run(team, cut);
      for (const auto& output : whole.outputs()) {
        const eagle::ArrayView& other = split.array(output.name);
        ASSERT_EQ(other.shape, output.array.shape);
        ASSERT_EQ(std::memcmp(other.data, output.array.data, static_cast<std::size_t>(other.bytes())), 0)
            << name << " '" << output.name << "', " << cut.size() << " parts, " << team.threads << " threads";
      }
    }
}

class Identity : public testing::TestWithParam<std::int64_t> {};

TEST_P(Identity, SampleLocalOfEveryShape) {
  const std::int64_t n = GetParam();
  const auto count = static_cast<std::size_t>(n);
  auto x = support::uniforms(count, 1), p = support::uniforms(3 * count, 2), v = support::uniforms(3 * count, 3);
  auto m = support::uniforms(9 * count, 4);
  std::vector<float> xf(x.begin(), x.end());
  std::vector<std::int64_t> k(count);
  for (std::size_t i = 0; i < count; ++i) k[i] = static_cast<std::int64_t>(support::mixed(i));
  const auto plane = [&](std::vector<double>& a, std::int64_t w) {
    return eagle::view(a.data(), eagle::DType::float64, {w, n});
  };
  expect_one_answer("axpy", n, {{"x", eagle::view(x)}, {"a", 2.0}, {"b", -1.5}});
  expect_one_answer("saxpy", n, {{"x", eagle::view(xf)}, {"a", 2.0}});
  expect_one_answer("drift3", n, {{"p", plane(p, 3)}, {"v", plane(v, 3)}, {"dt", 0.1}});
  expect_one_answer("matvec3", n, {{"x", plane(p, 3)}, {"m", eagle::view(m.data(), eagle::DType::float64, {3, 3, n})}});
  expect_one_answer("outer3", n, {{"a", plane(p, 3)}, {"b", plane(v, 3)}});
  expect_one_answer("hash_mix", n, {{"k", eagle::view(k)}, {"seed", 7}});
  expect_one_answer("newton", n, {{"x", eagle::view(x)}});
}

TEST_P(Identity, ReadsThatCrossPartitionBorders) {
  const std::int64_t n = GetParam();
  const auto count = static_cast<std::size_t>(n);
  auto x = support::uniforms(count, 5), table = support::uniforms(100, 6);
  std::vector<std::int64_t> k(count);
  for (std::size_t i = 0; i < count; ++i) k[i] = static_cast<std::int64_t>(support::mixed(i) % table.size());
  expect_one_answer("shift", n, {{"x", eagle::view(x)}});
  expect_one_answer("gather", n, {{"k", eagle::view(k)}, {"table", eagle::view(table)}});
}

INSTANTIATE_TEST_SUITE_P(Sizes, Identity, testing::Values(1, 2, 63, 4095, 4096, 100003));

}  // namespace
