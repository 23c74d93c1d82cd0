// SPDX-License-Identifier: Apache-2.0
// What tests tell the stand-in and ask of it.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fixture.hpp"

namespace stand_in {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(StandIn, FailuresAreInjected) {
  CUdeviceptr address = 0;
  fail("cuMemAlloc_v2", 2, 2);
  EXPECT_EQ(cuMemAlloc_v2(&address, 8), 0);
  EXPECT_EQ(cuMemAlloc_v2(&address, 8), 2);
  EXPECT_EQ(cuMemAlloc_v2(&address, 8), 0);
  set_memory(1000);
  EXPECT_EQ(cuMemAlloc_v2(&address, 2000), 2);
  const CUfunction kernel = function(load(increment_ptx), "increment");
  fail("increment", 1, 719);
  ASSERT_EQ(launch(kernel, address, 1, stream), 0);
  EXPECT_EQ(cuStreamSynchronize(stream), 719);
  EXPECT_EQ(cuMemAlloc_v2(&address, 8), 719);
  reset();
  EXPECT_EQ(cuMemAlloc_v2(&address, 8), 0);
  fail("cuStreamSynchronize", 1, 46);
  EXPECT_EQ(cuStreamSynchronize(stream), 46);
  EXPECT_EQ(cuMemFree_v2(address), 46);
  reset();
}

TEST_F(StandIn, WhatIsOutstandingIsCounted) {
  const Outstanding before = outstanding();
  const CUdeviceptr data = device(100);
  EXPECT_EQ(outstanding().allocations, before.allocations + 1);
  EXPECT_EQ(outstanding().bytes, before.bytes + 100);
  const CUmodule module = load(increment_ptx);
  EXPECT_EQ(outstanding().modules, before.modules + 1);
  ASSERT_EQ(cuModuleUnload(module), 0);
  ASSERT_EQ(cuMemFree_v2(data), 0);
  EXPECT_EQ(outstanding(), before);
}

// Run by the test that follows, in a process of its own.
TEST(Environment, DISABLED_IsRead) {
  int count = 0, version = 0, major = 0;
  std::size_t bytes = 0;
  CUcontext context = nullptr;
  CUdeviceptr address = 0;
  ASSERT_EQ(cuInit(0), 0);
  EXPECT_EQ(cuDeviceGetCount(&count), 0);
  EXPECT_EQ(cuDriverGetVersion(&version), 0);
  EXPECT_EQ(cuDeviceTotalMem_v2(&bytes, 2), 0);
  EXPECT_EQ(cuDeviceGetAttribute(&major, 75, 2), 0);
  EXPECT_EQ((std::vector<int>{count, version, static_cast<int>(bytes), major}), (std::vector<int>{3, 12040, 5000, 8}));
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&context, 2), 0);
  ASSERT_EQ(cuCtxPushCurrent_v2(context), 0);
  EXPECT_EQ(cuMemAlloc_v2(&address, 5001), 2);
  EXPECT_EQ(cuMemAlloc_v2(&address, 4000), 0);
  EXPECT_EQ(cuMemAlloc_v2(&address, 8), 719);
  *reinterpret_cast<volatile char*>(address) = 1;
  EXPECT_EQ(cuMemFree_v2(address + 1), 719);
}

TEST(Environment, SetsUpAProcess) {
  const std::string log = testing::TempDir() + "stand_in.log";
  std::remove(log.c_str());
  const std::string variables =
      "STAND_IN_DEVICES=3 STAND_IN_VERSION=12040 STAND_IN_MEMORY=5000 STAND_IN_ATTRIBUTES=75:8,76:6 "
      "STAND_IN_FAIL=cuInit:2:100,cuMemAlloc_v2:3:719 STAND_IN_PROTECT=0 STAND_IN_LOG=";
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  const std::string options = " --gtest_also_run_disabled_tests --gtest_filter=Environment.DISABLED_IsRead > /dev/null";
  ASSERT_EQ(std::system((variables + log + " '" + program + "'" + options).c_str()), 0);
  std::ifstream file(log);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_THAT(text, testing::StartsWith("cuInit \ncuDeviceGetCount \n"));
  EXPECT_THAT(text, HasSubstr("cuMemAlloc_v2 4000 bytes\n"));
  EXPECT_THAT(text, HasSubstr("misuse: 0x"));
  EXPECT_THAT(text, HasSubstr("outstanding: 1 allocations of 4000 bytes, 0 pinned, 0 streams"));
  std::remove(log.c_str());
}

}  // namespace
}  // namespace stand_in
