// SPDX-License-Identifier: Apache-2.0
// What the tests of the stand-in share: two devices, a current context of the first, two streams, a kernel.
#pragma once

#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

#include "driver_api.hpp"
#include "stand_in.hpp"

namespace stand_in {

// Adds 1 to the `count` integers at its first parameter.
inline constexpr const char* increment_ptx = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry increment(.param .u64 .ptr .global .align 4 data, .param .u32 count) { ret; }
.visible .entry sizes(.param .align 8 .b8 box[40], .param .u8 flag, .param .f64 x, .param .v2 .f32 v) .maxntid 64, 1, 1 { ret; }
.global .align 8 .u64 eagle_layout_sizes[5] = {40, 32, 32, 4, 24};
.global .align 1 .b8 eagle_abi_tag[13] = {97, 101, 116, 104, 101, 114, 45, 97, 98, 105, 47, 50};
)";

inline void increment(void* const* params, const Launch&) {
  auto* const data = *static_cast<std::int32_t**>(params[0]);
  for (std::uint32_t k = 0; k < *static_cast<std::uint32_t*>(params[1]); ++k) ++data[k];
}

class StandIn : public testing::Test {
 protected:
  void SetUp() override {
    reset();
    set_devices(2);
    twin("increment", increment);
    ASSERT_EQ(cuInit(0), 0);
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&context, 0), 0);
    ASSERT_EQ(cuCtxPushCurrent_v2(context), 0);
    ASSERT_EQ(cuStreamCreate(&stream, 1), 0);
    ASSERT_EQ(cuStreamCreate(&other, 1), 0);
  }
  void TearDown() override {
    EXPECT_THAT(misuses(), testing::IsEmpty());
    reset();
    EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), 0);
    EXPECT_EQ(cuCtxPopCurrent_v2(nullptr), 0);
    EXPECT_EQ(outstanding(), Outstanding());
  }

  CUdeviceptr device(std::size_t bytes = 64) {
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAlloc_v2(&address, bytes), 0);
    return address;
  }
  template <class T>
  T* pinned(std::size_t count) {
    void* address = nullptr;
    EXPECT_EQ(cuMemHostAlloc(&address, count * sizeof(T), 0), 0);
    return static_cast<T*>(address);
  }
  CUmodule load(const char* image) {
    CUmodule module = nullptr;
    EXPECT_EQ(cuModuleLoadDataEx(&module, image, 0, nullptr, nullptr), 0);
    return module;
  }
  CUfunction function(CUmodule module, const char* name) {
    CUfunction found = nullptr;
    EXPECT_EQ(cuModuleGetFunction(&found, module, name), 0);
    return found;
  }
  int launch(CUfunction kernel, CUdeviceptr data, std::uint32_t count, CUstream in) {
    void* params[] = {&data, &count};
    return cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, in, params, nullptr);
  }
  /// The first integer there, once the stream has done its work.
  std::int32_t read(CUdeviceptr data, CUstream in) {
    std::int32_t value = 0;
    EXPECT_EQ(cuMemcpyDtoHAsync_v2(&value, data, sizeof value, in), 0);
    return value;
  }
  /// Misuses so far, and forgets them.
  std::vector<std::string> took_misuses() {
    const std::vector<std::string> found = misuses();
    reset();
    twin("increment", increment);
    return found;
  }
  void free_pinned(void* address) { EXPECT_EQ(cuMemFreeHost(address), 0); }

  CUcontext context = nullptr;
  CUstream stream = nullptr, other = nullptr;
};

}  // namespace stand_in
