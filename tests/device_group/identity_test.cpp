// SPDX-License-Identifier: Apache-2.0
// Every bundle with a device artifact gives HostTeam's bits on any number of devices, in any partitions; the outputs are whole
// on each device.
#include "bed.hpp"

namespace {

using namespace bed;

class DeviceGroupIdentity : public Group {
 protected:
  /// The plane of partials that the host gives.
  static std::vector<double> on_host_values(const eagle::Plugin& plugin, std::vector<double> x) {
    return values_of<double>(on_host(plugin, {.combine = false}).run({{"x", view(x)}}).outputs().at(0).array);
  }
};

/// With arrays that are staged, and with arrays that lie on the last device of the group.
void expect_hosts_bits(const eagle::Plugin& plugin, std::int64_t n, bool all, int devices) {
  const Run expected = run(on_host(plugin, {.n_samples = n}), Inputs(plugin, n, all));
  ASSERT_FALSE(expected.outputs.empty() && expected.arrays.empty());
  const auto cuts = devices == 2 ? support::cuts(n) : std::vector{eagle::split_evenly(n, 1), eagle::split_evenly(n, 3)};
  for (const auto& cut : cuts) {
    const std::string what = plugin.id() + ", n " + std::to_string(n) + ", " + std::to_string(cut.size()) + " parts, " +
                             std::to_string(devices) + " devices";
    const auto plan = [&](bool staging) {
      return on_group(plugin, first_devices(devices), {.partitions = cut}, {.staging = staging});
    };
    expect_same(run(plan(true), Inputs(plugin, n, all)), expected, what + ", staged");
    Inputs there(plugin, n, all);
    there.move_to(devices - 1);
    expect_same(run(plan(false), std::move(there)), expected, what + ", on the last device");
  }
}

void expect_every_bundle(const std::filesystem::path& folder, int devices, std::size_t count) {
  std::size_t found = 0;
  for (const eagle::Plugin& plugin : plugins_below(folder)) {
    const bool wide = std::any_of(plugin.declaration().arguments.begin(), plugin.declaration().arguments.end(),
                                  [](const eagle::Argument& each) { return each.role == eagle::Role::wide_out; });
    if (plugin.declaration().access == eagle::Access::cross_sample_write || wide) {
      EXPECT_THAT(refusal(Code::placement, [&] { on_group(plugin, first_devices(devices)); }),
                  AllOf(HasSubstr("plugin '" + plugin.id() + "'"), HasSubstr("device_group")));
      continue;
    }
    ++found;
    for (const std::int64_t n : {1, 67, 1021}) expect_hosts_bits(plugin, n, n != 1021, devices);
    if (devices == 2) expect_hosts_bits(plugin, 0, true, devices);
  }
  EXPECT_GE(found, count);
}

TEST_F(DeviceGroupIdentity, OnOne) { expect_every_bundle(EAGLE_TEST_BUNDLES, 1, 20); }
TEST_F(DeviceGroupIdentity, OnTwo) { expect_every_bundle(EAGLE_TEST_BUNDLES, 2, 20); }
TEST_F(DeviceGroupIdentity, OnThree) { expect_every_bundle(EAGLE_TEST_BUNDLES, 3, 20); }
TEST_F(DeviceGroupIdentity, OnEight) { expect_every_bundle(EAGLE_TEST_BUNDLES, 8, 20); }

/// Other types, counters, two accumulate outputs.
TEST_F(DeviceGroupIdentity, OfOtherKinds) {
  for (const int devices : {2, 8}) expect_every_bundle(EAGLE_OWN_BUNDLES, devices, 3);
}

/// More samples than a tile of a fold has, so that every device folds several.
TEST_F(DeviceGroupIdentity, OfLargeFolds) {
  const std::int64_t n = 9'000'001;
  std::vector<double> x(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 / static_cast<double>(i + 1);
  const eagle::Values values = {{"x", view(x)}, {"y", view(x)}};
  const double expected = on_host(plugin("dot")).run(values).value<double>("total");
  for (const std::int64_t parts : {1, 3})
    EXPECT_EQ(on_group(plugin("dot"), {0, 1, 2}, {.npartitions = parts}, {.staging = true}).run(values).value<double>("total"),
              expected);
}

TEST_F(DeviceGroupIdentity, EveryDeviceEndsWithTheWholePlane) {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6, 7};
  for (const std::int64_t parts : {1, 2, 3}) {
    const OnDevice<double> there(x, 2);
    auto bound = on_group(plugin("axpy"), {1, 2, 0}, {.npartitions = parts}).bind({{"x", there}, {"a", 2.0}, {"b", 1.0}});
    bound.launch();
    const eagle::Result result = bound.result();
    const auto& replicas = result.outputs().at(0).replicas;
    ASSERT_EQ(replicas.size(), 3U);
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_EQ(replicas[d].view().device, (eagle::Device{eagle::Device::cuda, std::vector<int>{1, 2, 0}[d]}));
      EXPECT_EQ(eagle::device_of(replicas[d].view().data), replicas[d].view().device);
      EXPECT_THAT(values_of<double>(replicas[d].view()), testing::ElementsAre(3, 5, 7, 9, 11, 13, 15));
    }
  }
}

/// A body finds all of its arrays on the device that it runs on.
TEST_F(DeviceGroupIdentity, BodiesFindTheirArraysOnTheirDevice) {
  const std::vector<double> x(5000, 1.0);
  const OnDevice<double> there(x, 1);
  static_cast<void>(on_group(plugin("axpy"), {0, 1, 2}, {.npartitions = 2}).run({{"x", there}, {"a", 2.0}, {"b", 1.0}}));
  const auto launches = stand_in::launches("axpy");
  ASSERT_EQ(launches.size(), 6U);
  for (const stand_in::Launch& launch : launches)
    for (std::size_t k = 0; k < 2; ++k) {
      ScalarHandle handle;
      std::memcpy(&handle, launch.params[k].data(), sizeof handle);
      EXPECT_EQ(handle.deviceId, launch.device);
    }
}

/// Launches add up, and what the caller sets in between counts.
TEST_F(DeviceGroupIdentity, CountersOfAllDevicesAreAdded) {
  std::vector<std::int64_t> left(1000);
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = static_cast<std::int64_t>(i % 3) + 1;
  const auto retire = eagle::load(std::filesystem::path(EAGLE_OWN_BUNDLES) / "retire").only();
  const OnDevice<std::int64_t> there(left, 1);
  const OnDevice<std::uint8_t> done(std::vector<std::uint8_t>(left.size()), 0);
  const OnDevice<std::uint32_t> count(std::vector<std::uint32_t>{4294967290U}, 2);
  auto bound =
      on_group(retire, {0, 1, 2}, {.npartitions = 3}).bind({{"left", there}, {"done", done}, {"finished_count", count}});
  std::uint32_t expected = 4294967290U;
  for (const std::uint32_t retired : {334U, 333U, 333U}) {
    bound.launch();
    static_cast<void>(bound.result());
    EXPECT_EQ(count.values()[0], expected += retired);
  }
  const eagle::Result result = bound.result();
  for (const auto& output : result.outputs()) EXPECT_EQ(output.replicas.size(), output.name == "finished_count" ? 0U : 3U);
  stand_in::fail("cuLaunchKernel", 5, 701);
  EXPECT_THAT(refusal(Code::body, [&] { bound.launch(); }), HasSubstr("retire"));
  static_cast<void>(bound.result());
  EXPECT_EQ(count.values()[0], expected);  // all have retired before
}

TEST_F(DeviceGroupIdentity, PlanesOfPartialsOnAnyDevice) {
  const OnDevice<double> x(std::vector<double>{1, 2, 3, 4}, 0), partials(std::vector<double>(4), 1);
  static_cast<void>(on_group(plugin("product"), {0, 1, 2}, {.combine = false}).run({{"x", x}, {"total", partials}}));
  EXPECT_EQ(partials.values(), on_host_values(plugin("product"), {1, 2, 3, 4}));
}

/// What a result shows of a device lives as long as the result's arrays.
TEST_F(DeviceGroupIdentity, ReplicasOutliveWhatMadeThem) {
  const OnDevice<double> x(std::vector<double>{1, 2, 3}, 1);
  std::vector<eagle::Array> kept;
  {
    auto bound = on_group(plugin("axpy"), {0, 1}).bind({{"x", x}, {"a", 2.0}, {"b", 1.0}});
    bound.launch();
    kept = bound.result().outputs().at(0).replicas;
    const OnDevice<double> other(std::vector<double>(3), 0);
    bound.rebind("y", other);
    EXPECT_TRUE(bound.outputs().at(0).replicas.empty());
  }
  ASSERT_EQ(kept.size(), 2U);
  for (const eagle::Array& each : kept) EXPECT_THAT(values_of<double>(each.view()), testing::ElementsAre(3, 5, 7));
}

TEST_F(DeviceGroupIdentity, RebindsReachAllDevices) {
  const OnDevice<double> x(std::vector<double>{1, 2, 3}, 0), other(std::vector<double>{4, 5, 6}, 1);
  auto bound = on_group(plugin("axpy"), {0, 1}).bind({{"x", x}, {"a", 2.0}, {"b", 1.0}});
  bound.launch();
  EXPECT_THAT(values_of<double>(bound.result().array("y")), testing::ElementsAre(3, 5, 7));
  bound.rebind("x", other);
  bound.rebind("a", 3.0);
  bound.launch();
  EXPECT_THAT(values_of<double>(bound.result().array("y")), testing::ElementsAre(13, 16, 19));
}

}  // namespace
