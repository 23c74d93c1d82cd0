// SPDX-License-Identifier: Apache-2.0
// How DeviceKernel starts, which happens once a process: each case is a process of its own. What failed can be tried again,
// and a start that failed half-way leaves nothing behind.
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>

#include "bed.hpp"

namespace {

using namespace bed;

class Start : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    if (!std::filesystem::exists(support::bundle("dot") / "dot.ptx"))
      GTEST_SKIP() << "the worked plugins were built without nvcc";
  }
};

/// One attempt at a run, and how it ended.
std::string attempt(int device) try {
  const std::vector<double> x = {1, 2, 3};
  const auto plan = on_device(plugin("dot"), {}, {.device = device, .staging = true});
  const auto result = plan.run({{"x", view(x)}, {"y", view(x)}});
  return "the dot is " + std::to_string(static_cast<int>(result.value<double>("total")));
} catch (const eagle::Error& e) {
  return std::string(name(e.code())) + ": " + e.what();
}

/// Two attempts; ends the process.
[[noreturn]] void start(const std::string& symbol, int nth, int result, int device = 0, int devices = 1) {
  stand_in::set_devices(devices);
  stand_in::twins(EAGLE_TEST_BUNDLES);
  if (!symbol.empty()) stand_in::fail(symbol, nth, result);
  std::cerr << attempt(device) << "; ";
  if (devices == 0) stand_in::set_devices(1);
  std::cerr << attempt(device) << "; " << stand_in::outstanding() << "; " << stand_in::misuses().size() << " misuses"
            << std::endl;
  std::_Exit(0);
}

/// A dot, with the context, the stream and eagle's own module kept.
constexpr const char* then_well =
    "; the dot is 14; 0 allocations of 0 bytes, 0 pinned, 1 streams, 0 events, [01] modules, 0 graphs, 1 retains; 0 misuses\n";

TEST_F(Start, CanBeTriedAgain) {
  const struct {
    const char* symbol;
    int nth, result;
    const char* told;
  } cases[] = {
      {"cuInit", 1, 100,
       "unavailable: plugin 'dot': no CUDA device can be used: .*libcuda.so.1 .*cuInit: CUDA_ERROR_NO_DEVICE"},
      {"cuDriverGetVersion", 1, 999, "unavailable: plugin 'dot': .*does not say its version"},
      {"cuDeviceGetCount", 1, 100,
       "unavailable: plugin 'dot': .*CUDA 13.0.*finds no device .*NO_DEVICE.: .*CUDA_VISIBLE_DEVICES"},
      {"cuDeviceGetCount", 2, 999, "internal: plugin 'dot': cuDeviceGetCount failed: CUDA_ERROR_UNKNOWN"},
      {"cuDeviceGet", 1, 101, "unavailable: plugin 'dot': cuDeviceGet failed: CUDA_ERROR_INVALID_DEVICE"},
      {"cuDeviceGetName", 1, 999, "internal: plugin 'dot': cuDeviceGetName failed"},
      {"cuDeviceGetAttribute", 2, 999, "internal: plugin 'dot': cuDeviceGetAttribute failed"},
      {"cuDevicePrimaryCtxRetain", 1, 46, "unavailable: plugin 'dot': cuDevicePrimaryCtxRetain failed: .*busy or unavailable"},
      {"cuDevicePrimaryCtxRetain", 1, 2, "memory: plugin 'dot': cuDevicePrimaryCtxRetain failed"},
      {"cuCtxPushCurrent_v2", 1, 999, "internal: plugin 'dot': cuCtxPushCurrent failed on cuda:0"},
      {"cuStreamCreate", 1, 2, "memory: plugin 'dot': cuStreamCreate failed on cuda:0"},
      {"cuModuleLoadDataEx", 2, 218, "bundle: plugin 'dot': eagle's own device code is not taken by cuda:0"},
      {"cuModuleGetFunction", 2, 999, "internal: plugin 'dot': eagle's own device code has no kernel 'eagle_fill_1'"},
  };
  for (const auto& each : cases)
    EXPECT_EXIT(start(each.symbol, each.nth, each.result), testing::ExitedWithCode(0),
                std::string(each.told) + ".*" + then_well);
}

TEST_F(Start, WithoutDevicesOrWithFewer) {
  EXPECT_EXIT(start("", 0, 0, 0, 0), testing::ExitedWithCode(0),
              std::string("unavailable: plugin 'dot': no CUDA device can be used.*") + then_well);
  EXPECT_EXIT(start("", 0, 0, 5, 1), testing::ExitedWithCode(0),
              "unavailable: plugin 'dot': there is no cuda:5: the driver finds 1 device, cuda:0 .*; unavailable: .* 0 retains");
}

/// Planning needs no driver.
TEST_F(Start, OnlyBindingOpensTheDriver) {
  EXPECT_EXIT(
      {
        const auto plan = on_device(plugin("dot"), {}, {.device = 7});
        std::cerr << plan.describe() << stand_in::calls().size() << " calls" << std::endl;
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "device_kernel\\(device=7\\)(.|\n)*\n0 calls\n");
}

/// CUDA does not survive a fork.
TEST_F(Start, ForkedChildrenAreToldThatCudaIsNotTheirs) {
  EXPECT_EXIT(
      {
        stand_in::twins(EAGLE_TEST_BUNDLES);
        std::cerr << attempt(0) << "; ";
        if (::fork() == 0) {
          std::cerr << attempt(0) << std::endl;
          std::_Exit(0);
        }
        ::wait(nullptr);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "the dot is 14; .*plugin 'dot'.*CUDA_ERROR_NOT_INITIALIZED");
}

}  // namespace
