// SPDX-License-Identifier: Apache-2.0
// Ranks that drive stand-in devices, two on a node: gathers go through host memory, with the bits of one host process.
#include "bed.hpp"
#include "stand_in.hpp"

namespace {

using eagle::view;

eagle::Plan on_devices(const std::string& name, eagle::PlanOptions options = {}) {
  options.structure = eagle::rank_partition(MPI_COMM_WORLD, eagle::device_kernel({.staging = true}));
  return eagle::plan(bed::plugin(name), std::move(options));
}

void expect_one_answer(const std::string& name, std::int64_t n, const eagle::Values& values, eagle::PlanOptions options = {}) {
  options.n_samples = n;
  const eagle::Result whole = bed::single(name, options).run(values);
  for (const std::int64_t parts : {1, 3}) {
    options.npartitions = parts;
    bed::expect_same(whole, on_devices(name, options).run(values), name + ", n " + std::to_string(n));
  }
}

class RanksOnDevices : public testing::Test {
 protected:
  void SetUp() override {
    stand_in::reset();
    stand_in::set_devices(2);
    stand_in::twins(EAGLE_TEST_BUNDLES);
    if (!bed::plugin("axpy").declaration().ships(eagle::Target::device))
      GTEST_SKIP() << "the worked plugins were built without nvcc";
  }
  void TearDown() override {
    EXPECT_THAT(stand_in::misuses(), testing::IsEmpty());
    EXPECT_EQ(stand_in::outstanding().pinned, 0U);
    EXPECT_EQ(stand_in::outstanding().allocations, 0U);
    stand_in::reset();
  }
};

TEST_F(RanksOnDevices, PlanesAndValuesAreTheHosts) {
  for (const std::int64_t n : {0, 1, 5, 1021, 20011}) {
    const auto count = static_cast<std::size_t>(n);
    auto x = support::uniforms(count, 1), p = support::uniforms(3 * count, 2), v = support::uniforms(3 * count, 3);
    std::vector<std::uint8_t> off(count);
    for (std::size_t i = 0; i < count; ++i) off[i] = i % 3 == 0;
    const auto plane = [&](std::vector<double>& a) { return view(a.data(), eagle::DType::float64, {3, n}); };
    expect_one_answer("axpy", n, {{"x", view(x)}, {"a", 2.0}, {"b", -1.5}});
    expect_one_answer("outer3", n, {{"a", plane(p)}, {"b", plane(v)}});
    expect_one_answer("countdown", n, {});
    expect_one_answer("dot", n, {{"x", view(x)}, {"y", view(x)}});
    expect_one_answer("dot", n, {{"x", view(x)}, {"y", view(x)}}, {.precision = eagle::Precision::compensated});
    expect_one_answer("dot", n, {{"x", view(x)}, {"y", view(x)}}, {.combine = false});
    expect_one_answer("product", n, {{"x", view(x)}, {"terminated", view(off)}});
    expect_one_answer("sum_index", n, {});
  }
}

/// Tiles of each rank's own samples, which begin anywhere.
TEST_F(RanksOnDevices, FoldMoreThanATile) {
  const std::int64_t n = (std::int64_t{3} << 22) + 12345;
  expect_one_answer("sum_index", n, {});
}

/// A mutable that the caller gives comes back whole on every rank.
TEST_F(RanksOnDevices, GivenArraysComeBackWhole) {
  std::vector<std::int64_t> left(1001);
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = static_cast<std::int64_t>(i) + 1;
  on_devices("countdown", {.npartitions = 2}).run({{"left", view(left)}});
  for (std::size_t i = 0; i < left.size(); ++i) ASSERT_EQ(left[i], static_cast<std::int64_t>(i)) << bed::rank();
}

/// A rank's place on its node, modulo the two devices.
TEST_F(RanksOnDevices, EachRankHasItsDevice) {
  const std::vector<double> x(10, 1.0);
  on_devices("axpy").run({{"x", view(x)}, {"a", 1.0}, {"b", 0.0}});
  const auto launches = stand_in::launches("axpy");
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_EQ(launches[0].device, bed::rank() % 2);
}

TEST_F(RanksOnDevices, AFaultOfOneRankIsToldByAll) {
  const std::vector<double> x(10, 1.0);
  if (bed::rank() == 1) stand_in::fail("dot", 1, 700);
  EXPECT_THAT(support::refusal(eagle::Code::body, [&] { on_devices("dot").run({{"x", view(x)}, {"y", view(x)}}); }),
              testing::AllOf(testing::HasSubstr("rank 1 of " + std::to_string(bed::size()) + ": plugin 'dot'"),
                             testing::HasSubstr("cuda:1")));
}

/// Counters are read from the device before and after the bodies; a rank that cannot says so before the others sum them.
TEST_F(RanksOnDevices, ACounterThatOneRankCannotReadIsToldByAll) {
  stand_in::twins(EAGLE_OWN_BUNDLES);
  const auto retire = eagle::load(std::filesystem::path(EAGLE_OWN_BUNDLES) / "retire").only();
  for (const int reading : {1, 2}) {
    const eagle::Plan plan =
        eagle::plan(retire, {.structure = eagle::rank_partition(MPI_COMM_WORLD, eagle::device_kernel({.staging = true}))});
    std::vector<std::int64_t> left(10, 1);
    std::vector<std::uint32_t> count = {5};
    auto bound = plan.bind({{"left", view(left)}, {"finished_count", view(count)}});
    if (bed::rank() == 1) stand_in::fail("cuMemcpyDtoHAsync_v2", reading, 1);
    EXPECT_THAT(support::refusal(eagle::Code::internal, [&] { bound.launch(); }),
                testing::AllOf(testing::HasSubstr("rank 1 of "), testing::HasSubstr("plugin 'retire'"),
                               testing::HasSubstr("cuMemcpyDtoHAsync")));
  }
}

}  // namespace
