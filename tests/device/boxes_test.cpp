// SPDX-License-Identifier: Apache-2.0
// What launches hand to a kernel: boxes in arg_spec order as abi.h has them, the partition triple, blocks and grids.
#include <eagle/abi.h>

#include "bed.hpp"
#include "folder.hpp"
#include "profiles.hpp"

namespace {

using namespace bed;
using eagle::DType;
using stand_in::Launch;

template <class T>
T as(const std::vector<std::byte>& param) {
  T value;
  EXPECT_EQ(param.size(), sizeof value);
  std::memcpy(&value, param.data(), std::min(param.size(), sizeof value));
  return value;
}

void expect_triple(const Launch& launch, std::int64_t base, std::int64_t count, std::int64_t n) {
  const std::size_t at = launch.params.size() - 3;
  EXPECT_EQ(as<std::int64_t>(launch.params[at]), base);
  EXPECT_EQ(as<std::int64_t>(launch.params[at + 1]), count);
  EXPECT_EQ(as<std::int64_t>(launch.params[at + 2]), n);
}

class Boxes : public Device {};

TEST_F(Boxes, OfPlanesHaveStridesOfRows) {
  constexpr std::int64_t n = 5, apart = 8;
  const Memory q(std::vector<double>(3 * apart), 1), p(std::vector<double>(3 * apart, 1.0), 1),
      v(std::vector<double>(3 * n, 1.0), 1);
  auto bound = on_device(plugin("drift3"), {.npartitions = 2}, {.device = 1})
                   .bind({{"q", q.view(DType::float64, {3, n}, {apart, 1})},
                          {"p", p.view(DType::float64, {3, n}, {apart, 1})},
                          {"v", v.view(DType::float64, {3, n})},
                          {"dt", 0.25}});
  bound.launch();
  const auto launches = stand_in::launches("drift3");
  ASSERT_EQ(launches.size(), 2U);  // one a partition
  const struct {
    const Memory& memory;
    std::uint64_t apart;
  } planes[] = {{q, apart}, {p, apart}, {v, n}};
  for (const Launch& launch : launches) {
    EXPECT_EQ(launch.device, 1);
    ASSERT_EQ(launch.params.size(), 7U);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto box = as<GRefMirror>(launch.params[k]);
      EXPECT_EQ(box.data, planes[k].memory.data());
      EXPECT_EQ(box.samples, 5U);
      EXPECT_EQ(box.compStride, planes[k].apart);
      EXPECT_EQ(box.sampleStride, 1U);
      EXPECT_EQ(box.deviceType, EAGLE_DEVICE_CUDA);
      EXPECT_EQ(box.deviceId, 1);
    }
    EXPECT_EQ(as<double>(launch.params[3]), 0.25);
  }
  expect_triple(launches[0], 0, 3, n);
  expect_triple(launches[1], 3, 2, n);
  static_cast<void>(bound.result());
}

TEST_F(Boxes, OfScalarsTablesAndCountsSayTheirLengths) {
  const OnDevice<std::int64_t> k({0, 1, 2, 1}, 1);
  const OnDevice<double> table({5, 6, 7}, 1), x({1, 2});
  const auto result = on_device(plugin("gather"), {}, {.device = 1}).run({{"k", k}, {"table", table}});
  const Launch launch = stand_in::launches("gather").at(0);
  const void* const data[] = {result.array("y").data, k.data(), table.data()};
  const std::uint64_t samples[] = {4, 4, 3};
  ASSERT_EQ(launch.params.size(), 6U);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto box = as<ScalarHandle>(launch.params[i]);
    EXPECT_EQ(box.data, data[i]);
    EXPECT_EQ(box.samples, samples[i]);
    EXPECT_EQ(box.stride, 1U);
    EXPECT_EQ(box.deviceType, EAGLE_DEVICE_CUDA);
    EXPECT_EQ(box.deviceId, 1);
  }
  static_cast<void>(on_device(plugin("shift")).run({{"x", x}}));
  const Launch shift = stand_in::launches("shift").at(0);
  ASSERT_EQ(shift.params.size(), 6U);
  EXPECT_EQ(as<std::uint32_t>(shift.params[2]), 2U);  // nsamples has the index word's width
}

/// A body finds partial i at data[i], though only a tile of them exists.
TEST_F(Boxes, OfFoldedOutputsStandBeforeTheirTile) {
  constexpr std::int64_t n = (std::int64_t{1} << 22) + 5;
  const auto plan = on_device(plugin("sum_index"), {.n_samples = n});
  EXPECT_EQ(plan.run({}).value<std::int64_t>("total"), n * (n - 1) / 2);
  const auto launches = stand_in::launches("sum_index");
  ASSERT_EQ(launches.size(), 2U);
  const auto first = as<ScalarHandle>(launches[0].params[0]), second = as<ScalarHandle>(launches[1].params[0]);
  EXPECT_EQ(static_cast<std::byte*>(first.data) - static_cast<std::byte*>(second.data), std::int64_t{8} << 22);
  EXPECT_EQ(second.samples, static_cast<std::uint64_t>(n));
  expect_triple(launches[1], std::int64_t{1} << 22, 5, n);
}

TEST_F(Boxes, BlocksComeFromOccupancyOrTheOption) {
  const OnDevice<double> x(std::vector<double>(1000));
  const auto launch = [&](int block) {
    static_cast<void>(on_device(plugin("axpy"), {}, {.block = block}).run({{"x", x}, {"a", 1.0}, {"b", 1.0}}));
    return stand_in::launches("axpy").back();
  };
  const auto expect_geometry = [](const Launch& found, unsigned grid, unsigned block) {
    const unsigned expected[] = {grid, 1, 1, block, 1, 1, 0};
    const unsigned sizes[] = {found.grid[0],  found.grid[1],  found.grid[2], found.block[0],
                              found.block[1], found.block[2], found.shared};
    EXPECT_THAT(sizes, testing::ElementsAreArray(expected));
  };
  expect_geometry(launch(0), 4, 256);
  stand_in::set_block_size(384);
  expect_geometry(launch(0), 3, 384);
  expect_geometry(launch(1000), 1, 1000);
  expect_geometry(launch(999), 2, 999);
  expect_geometry(launch(1), 1000, 1);
}

TEST_F(Boxes, BlocksComeFromAProfileWhereTheOptionIsLeftOut) {
  const Folder folder;
  const OnDevice<double> x(std::vector<double>(1000));
  const auto told = std::make_shared<support::Ignored>();
  const auto block = [&](const std::string& device, int tuned, int given = 0) {
    const eagle::Plugin axpy = plugin("axpy");
    const auto profile = support::profile_of(folder.path() / "p.json", axpy, 1000, {.block = tuned}, device);
    static_cast<void>(
        on_device(axpy, {.profile = profile, .observer = told}, {.block = given}).run({{"x", x}, {"a", 1.0}, {"b", 1.0}}));
    return stand_in::launches("axpy").back().block[0];
  };
  const std::string here = eagle::device_name(0);
  EXPECT_EQ(block(here, 96), 96U);
  EXPECT_EQ(block(here, 96, 128), 128U);
  EXPECT_EQ(block(here, 0), 256U);
  EXPECT_THAT(told->text, testing::IsEmpty());
  EXPECT_EQ(block("another", 96), 256U);
  EXPECT_THAT(told->text, HasSubstr("of plugin 'axpy' it says nothing for device_kernel on '" + here + "'"));
}

TEST_F(Boxes, EmptyPartitionsLaunchNothing) {
  const OnDevice<double> x({1, 2});
  static_cast<void>(
      on_device(plugin("axpy"), {.partitions = {{0, 0, 2}, {0, 2, 2}, {2, 0, 2}}}).run({{"x", x}, {"a", 1.0}, {"b", 1.0}}));
  ASSERT_EQ(stand_in::launches("axpy").size(), 1U);
  expect_triple(stand_in::launches("axpy")[0], 0, 2, 2);
}

/// Planes that the index word cannot reach are refused by name, before memory for them is asked for.
TEST_F(Boxes, AnIndexWordOfFourBytesHasALimit) {
  constexpr std::int64_t most = 0xffffffff;
  stand_in::set_memory(std::size_t{1} << 40);
  const Memory p(std::size_t{8} * (most + 2)), v(std::vector<double>(6));
  const auto bind = [&](std::int64_t apart) {
    static_cast<void>(
        on_device(plugin("drift3"))
            .bind({{"p", p.view(DType::float64, {3, 2}, {apart, 1})}, {"v", v.view(DType::float64, {3, 2})}, {"dt", 1.0}}));
  };
  bind((most - 2) / 2);
  EXPECT_THAT(refusal(Code::limit, [&] { bind((most - 2) / 2 + 1); }),
              AllOf(HasSubstr("'drift3'"), HasSubstr("argument 'p'"), HasSubstr("index word is 4 bytes")));
  fresh();
  EXPECT_THAT(
      refusal(Code::limit, [&] { static_cast<void>(on_device(plugin("countdown"), {.n_samples = most + 1}).bind({})); }),
      HasSubstr("index word is 4 bytes"));
  EXPECT_THAT(refusal(Code::limit,
                      [&] {
                        eagle::ArrayView huge = p.view(DType::float64, {3, 2});
                        huge.shape[1] = std::int64_t{1} << 31;
                        huge.strides = {0, 1};
                        static_cast<void>(on_device(plugin("drift3")).bind({{"p", huge}, {"v", huge}, {"dt", 1.0}}));
                      }),
              AllOf(HasSubstr("argument 'q'"), HasSubstr("3 components")));
  EXPECT_EQ(stand_in::calls("cuMemAlloc").size(), 0U);
}

TEST_F(Boxes, AnIndexWordOfEightBytesHasNone) {
  constexpr std::int64_t n = std::int64_t{1} << 32;
  stand_in::set_memory(std::size_t{1} << 40);
  const Memory counts(std::size_t{8} * (n + 3));
  const auto huge = counts.view(DType::int64, {n + 3});
  stand_in::twin("count_index", [](void* const*, const Launch&) {});
  auto bound = on_device(plugin("count_index64"), {.n_samples = n + 3}).bind({{"counts", huge}});
  bound.launch();
  static_cast<void>(bound.result());
  const Launch launch = stand_in::launches("count_index").at(0);
  EXPECT_EQ(as<ScalarHandle>(launch.params[0]).samples, static_cast<std::uint64_t>(n + 3));
  EXPECT_GE(launch.threads(), static_cast<std::size_t>(n + 3));
  EXPECT_THAT(refusal(Code::limit,
                      [&] { static_cast<void>(on_device(plugin("count_index"), {.n_samples = n}).bind({{"counts", huge}})); }),
              HasSubstr("index word is 4 bytes"));
}

TEST_F(Boxes, ALaunchHasAMostOfBlocks) {
  constexpr std::int64_t n = (std::int64_t{1} << 31) + 1;
  stand_in::set_memory(std::size_t{1} << 40);
  const Memory counts(std::size_t{8} * n);
  const auto huge = counts.view(DType::int64, {n});
  stand_in::twin("count_index", [](void* const*, const Launch&) {});
  auto bound = on_device(plugin("count_index64"), {.n_samples = n}, {.block = 1}).bind({{"counts", huge}});
  EXPECT_THAT(refusal(Code::limit, [&] { bound.launch(); }), AllOf(HasSubstr("'count_index64'"), HasSubstr("larger blocks")));
  auto most =
      on_device(plugin("count_index64"), {.n_samples = std::numeric_limits<std::int64_t>::max()}).bind({{"counts", huge}});
  EXPECT_THAT(refusal(Code::limit, [&] { most.launch(); }), HasSubstr("larger blocks"));
}

}  // namespace
