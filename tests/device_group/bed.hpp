// SPDX-License-Identifier: Apache-2.0
// What the tests of DeviceGroup share: eight stand-in devices, and a check that every test leaves nothing behind.
#pragma once

#include <numeric>

#include "../device/identity.hpp"
#include "stand_in_nccl.hpp"

namespace bed {

inline std::vector<int> first_devices(int count) {
  std::vector<int> devices(static_cast<std::size_t>(count));
  std::iota(devices.begin(), devices.end(), 0);
  return devices;
}

inline eagle::Plan on_group(const eagle::Plugin& plugin, std::vector<int> devices, eagle::PlanOptions options = {},
                            eagle::DeviceGroupOptions how = {}) {
  options.structure = eagle::device_group(std::move(devices), how);
  return eagle::plan(plugin, std::move(options));
}

class Group : public testing::Test {
 protected:
  void SetUp() override {
    fresh();
    EXPECT_EQ(cuInit(0), 0);
    if (!std::filesystem::exists(support::bundle("axpy") / "axpy.ptx"))
      GTEST_SKIP() << "the worked plugins were built without nvcc";
  }
  void TearDown() override {
    if (IsSkipped()) return;
    drain();
    EXPECT_EQ(stand_in::pending(), 0U);
    EXPECT_EQ(stand_in::outstanding().allocations, 0U);
    EXPECT_THAT(stand_in::misuses(), testing::IsEmpty());
  }
  static void fresh() {
    stand_in::reset();
    stand_in_nccl::reset();
    stand_in::set_devices(8);
    for (const char* folder : {EAGLE_TEST_BUNDLES, EAGLE_OWN_BUNDLES, EAGLE_VARIANTS}) stand_in::twins(folder);
  }
  static void drain() {
    for (int ordinal = 0; ordinal < 8; ++ordinal) {
      const Current current(ordinal);
      EXPECT_EQ(cuStreamSynchronize(nullptr), 0);
    }
  }
};

}  // namespace bed
