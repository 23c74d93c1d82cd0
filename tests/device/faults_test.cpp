// SPDX-License-Identifier: Apache-2.0
// Kernels that fault and devices that are lost.
#include "bed.hpp"

namespace {

using namespace bed;

class Faults : public Device {
 protected:
  std::vector<double> x = std::vector<double>(3000, 1.0);
  [[nodiscard]] eagle::BoundPlan bound(const std::string& name = "axpy", int device = 0) const {
    eagle::Values values = {{"x", view(x)}};
    if (name == "dot") values.emplace("y", view(x));
    else values.insert({{"a", 1.0}, {"b", 0.0}});
    return on_device(plugin(name), {.npartitions = 2}, {.device = device, .staging = true}).bind(values);
  }
  /// That nothing more can be had of device 0, in words, and all of device 1.
  void expect_lost(Code code) const {
    EXPECT_THAT(refusal(code, [&] { static_cast<void>(bound()); }), AllOf(HasSubstr("plugin 'axpy'"), HasSubstr("cuda:0")));
    auto other = bound("dot", 1);
    other.launch();
    EXPECT_EQ(other.result().value<double>("total"), 3000.0);
  }
  void TearDown() override {
    fresh();  // and the devices are well again
    Device::TearDown();
  }
};

TEST_F(Faults, AtTheLaunch) {
  for (const char* name : {"axpy", "dot"}) {
    fresh();
    auto plan = bound(name);
    stand_in::fail("cuLaunchKernel", 1, 700);
    EXPECT_THAT(refusal(Code::body, [&] { plan.launch(); }),
                AllOf(HasSubstr(std::string("plugin '") + name + "', partition (0, "),
                      HasSubstr("cuLaunchKernel failed on cuda:0"), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS")));
    EXPECT_THAT(refusal(Code::body, [&] { plan.launch(); }), HasSubstr("cuda:0"));
    expect_lost(Code::body);
    EXPECT_THAT(stand_in::misuses(), testing::IsEmpty());
  }
}

TEST_F(Faults, InTheKernelAreFoundWhenWaitedFor) {
  for (const int result : {700, 719, 715, 716, 702, 710}) {
    for (const char* name : {"axpy", "dot"}) {
      fresh();
      auto plan = bound(name);
      stand_in::fail(name, 1, result);
      plan.launch();
      const std::string first = refusal(Code::body, [&] { static_cast<void>(plan.result()); });
      EXPECT_THAT(first,
                  AllOf(HasSubstr(std::string("plugin '") + name + "'"), HasSubstr("cuStreamSynchronize failed on cuda:0"),
                        HasSubstr("CUDA_ERROR_"), HasSubstr("refuses this process")));
      EXPECT_THAT(refusal(Code::body, [&] { static_cast<void>(plan.result()); }), HasSubstr("cuda:0"));
      expect_lost(Code::body);
      EXPECT_THAT(stand_in::misuses(), testing::IsEmpty());
    }
  }
}

TEST_F(Faults, OfOneLaunchAreGoneWithIt) {
  auto plan = bound();
  stand_in::fail("cuLaunchKernel", 2, 701);
  EXPECT_THAT(refusal(Code::body, [&] { plan.launch(); }),
              AllOf(HasSubstr("partition (1500, "), HasSubstr("LAUNCH_OUT_OF_RESOURCES"), testing::Not(HasSubstr("refuses"))));
  static_cast<void>(plan.result());
  EXPECT_EQ(stand_in::pending(), 0U);
  plan.launch();
  EXPECT_EQ(values_of<double>(plan.result().array("y")), x);
  auto fold = bound("dot");
  stand_in::fail("cuLaunchKernel", 3, 701);
  EXPECT_THAT(refusal(Code::body, [&] { fold.launch(); }), HasSubstr("plugin 'dot'"));
  for (int k = 0; k < 2; ++k)
    EXPECT_THAT(refusal(Code::argument, [&] { static_cast<void>(fold.result()); }), HasSubstr("no folded value"));
  fold.launch();
  EXPECT_EQ(fold.result().value<double>("total"), 3000.0);
}

TEST_F(Faults, ADeviceIsLost) {
  for (const int result : {46, 214, 220}) {
    fresh();
    {
      auto plan = bound();
      stand_in::fail("axpy", 1, result);
      plan.launch();
      EXPECT_THAT(refusal(Code::unavailable, [&] { static_cast<void>(plan.result()); }),
                  AllOf(HasSubstr("plugin 'axpy'"), HasSubstr("cuda:0")));
      expect_lost(Code::unavailable);
    }
    EXPECT_THAT(stand_in::misuses(), testing::IsEmpty());
  }
}

/// Another plugin's artifact is not blamed for what a kernel has done.
TEST_F(Faults, AreNotThoseOfTheNextArtifact) {
  auto plan = bound();
  stand_in::fail("axpy", 1, 700);
  plan.launch();
  EXPECT_THAT(refusal(Code::body, [&] { static_cast<void>(plan.result()); }), HasSubstr("axpy"));
  EXPECT_THAT(refusal(Code::body, [&] { static_cast<void>(bound("dot")); }),
              AllOf(HasSubstr("plugin 'dot'"), HasSubstr("refuses this process"), testing::Not(HasSubstr("is not taken"))));
}

/// What a wait fails with once is not the launch's: who asks again is answered.
TEST_F(Faults, AWaitThatFailsOnceCanBeRepeated) {
  auto plan = bound("dot");
  plan.launch();
  stand_in::fail("cuStreamSynchronize", 1, 999);
  EXPECT_THAT(refusal(Code::internal, [&] { static_cast<void>(plan.result()); }), HasSubstr("cuStreamSynchronize"));
  EXPECT_EQ(plan.result().value<double>("total"), 3000.0);
}

TEST_F(Faults, DevicesThatAreNotThere) {
  EXPECT_THAT(refusal(Code::unavailable, [&] { static_cast<void>(bound("axpy", 5)); }),
              AllOf(HasSubstr("no cuda:5"), HasSubstr("2 devices"), HasSubstr("CUDA_VISIBLE_DEVICES")));
  EXPECT_THAT(refusal(Code::argument, [] { eagle::device_kernel({.device = -1}); }), HasSubstr("count from 0"));
  EXPECT_THAT(eagle::devices(), testing::MatchesRegex("cuda:0 .Stand-in device 0, sm_90, CUDA 13.0.; cuda:1 .*"));
}

TEST_F(Faults, AStreamOfAnotherDevice) {
  const Stream other(1);
  const OnDevice<double> there(x);
  auto plan = on_device(plugin("axpy")).bind({{"x", there}, {"a", 1.0}, {"b", 0.0}});
  EXPECT_THAT(refusal(Code::argument, [&] { plan.launch(other); }),
              AllOf(HasSubstr("plugin 'axpy'"), HasSubstr("a stream must be one of this device's"), HasSubstr("cuda:0")));
  fresh();
}

}  // namespace
