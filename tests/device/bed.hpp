// SPDX-License-Identifier: Apache-2.0
// What the tests of DeviceKernel share: two stand-in devices, and a check that every test leaves nothing behind.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <eagle/eagle.hpp>

#include "memory.hpp"
#include "stand_in.hpp"
#include "support.hpp"

namespace bed {

using eagle::Code;
using eagle::view;
using support::refusal;
using testing::AllOf;
using testing::HasSubstr;

inline eagle::Plugin plugin(const std::string& name) { return eagle::load(support::bundle(name)).only(); }

inline eagle::Plan on_device(const eagle::Plugin& plugin, eagle::PlanOptions options = {},
                             eagle::DeviceKernelOptions where = {}) {
  options.structure = eagle::device_kernel(std::move(where));
  return eagle::plan(plugin, std::move(options));
}

inline eagle::Plan on_host(const eagle::Plugin& plugin, eagle::PlanOptions options = {}) {
  options.structure = eagle::host_team({.threads = 1});
  return eagle::plan(plugin, std::move(options));
}

/// Two devices that find the worked plugins' twins. A test leaves nothing allocated, nothing queued, and misuses nothing.
class Device : public testing::Test {
 protected:
  void SetUp() override {
    fresh();
    if (!std::filesystem::exists(support::bundle("axpy") / "axpy.ptx"))
      GTEST_SKIP() << "the worked plugins were built without nvcc";
    warm();
    fresh();
    before_ = stand_in::outstanding();
  }
  void TearDown() override {
    if (IsSkipped()) return;
    drain();
    EXPECT_EQ(stand_in::pending(), 0U);
    EXPECT_EQ(stand_in::outstanding(), before_);
    EXPECT_THAT(stand_in::misuses(), testing::IsEmpty());
  }
  /// As a test begins: nothing recorded, no failures, two devices.
  static void fresh() {
    stand_in::reset();
    stand_in::set_devices(2);
    stand_in::twins(EAGLE_TEST_BUNDLES);
    stand_in::twins(EAGLE_OWN_BUNDLES);
    stand_in::twins(EAGLE_VARIANTS);
  }
  /// Has what was queued done, on both devices.
  static void drain() {
    for (const int ordinal : {0, 1}) {
      const Current current(ordinal);
      EXPECT_EQ(cuStreamSynchronize(nullptr), 0);
    }
  }
  /// What eagle keeps for the whole process is there once every device was used.
  static void warm() {
    for (const int ordinal : {0, 1}) {
      const auto structure = eagle::device_kernel({.device = ordinal});
      const eagle::Array array = structure->memory().make(eagle::DType::float64, {2});
      structure->memory().fill(array.view(), 1.5);
    }
    drain();
  }

  stand_in::Outstanding before_;
};

}  // namespace bed
