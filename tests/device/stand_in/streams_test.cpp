// SPDX-License-Identifier: Apache-2.0
// Streams, events and contexts of the stand-in. What CUDA does is from the documentation of its Driver API.
#include <thread>

#include "fixture.hpp"

namespace stand_in {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(StandIn, OperationsRunWhenWaitedFor) {
  auto* const out = pinned<std::int32_t>(1);
  *out = 7;
  const CUdeviceptr data = device();
  ASSERT_EQ(cuMemsetD8Async(data, 0, 64, stream), 0);
  ASSERT_EQ(launch(function(load(increment_ptx), "increment"), data, 16, stream), 0);
  ASSERT_EQ(cuMemcpyDtoHAsync_v2(out, data, 4, stream), 0);
  EXPECT_EQ(*out, 7);
  EXPECT_EQ(pending(), 3U);
  ASSERT_EQ(cuStreamSynchronize(other), 0);
  EXPECT_EQ(*out, 7);
  ASSERT_EQ(cuStreamSynchronize(stream), 0);
  EXPECT_EQ(*out, 1);
  EXPECT_EQ(pending(), 0U);
  free_pinned(out);
}

TEST_F(StandIn, PageableMemoryIsReadAtTheCallAndPinnedLater) {
  std::int32_t pageable = 1;
  auto* const page_locked = pinned<std::int32_t>(1);
  *page_locked = 1;
  const CUdeviceptr first = device(), second = device();
  ASSERT_EQ(cuMemcpyHtoDAsync_v2(first, &pageable, 4, stream), 0);
  ASSERT_EQ(cuMemcpyHtoDAsync_v2(second, page_locked, 4, stream), 0);
  pageable = *page_locked = 2;
  EXPECT_EQ(read(first, stream), 1);
  EXPECT_EQ(read(second, stream), 2);
  free_pinned(page_locked);
}

TEST_F(StandIn, StreamsAreOrderedByEventsOnly) {
  const CUdeviceptr data = device();
  CUevent event = nullptr;
  ASSERT_EQ(cuEventCreate(&event, 2), 0);
  ASSERT_EQ(cuMemsetD8Async(data, 0, 4, stream), 0);
  ASSERT_EQ(cuStreamSynchronize(stream), 0);
  ASSERT_EQ(cuMemsetD8Async(data, 1, 4, stream), 0);
  EXPECT_EQ(read(data, other), 0);
  ASSERT_EQ(cuEventRecord(event, stream), 0);
  ASSERT_EQ(cuMemsetD8Async(data, 2, 4, stream), 0);
  ASSERT_EQ(cuStreamWaitEvent(other, event, 0), 0);
  EXPECT_EQ(read(data, other), 0x01010101);
  ASSERT_EQ(cuEventSynchronize(event), 0);
  EXPECT_EQ(read(data, other), 0x01010101);
  EXPECT_EQ(read(data, stream), 0x02020202);
}

TEST_F(StandIn, AQueryLetsOneOperationRun) {
  const CUdeviceptr data = device();
  ASSERT_EQ(cuMemsetD8Async(data, 0, 4, stream), 0);
  ASSERT_EQ(cuMemsetD8Async(data, 1, 4, stream), 0);
  EXPECT_EQ(cuStreamQuery(stream), 600);
  EXPECT_EQ(cuStreamQuery(stream), 600);
  EXPECT_EQ(cuStreamQuery(stream), 0);
}

TEST_F(StandIn, TheLegacyStreamIsOrderedWithBlockingOnes) {
  const CUdeviceptr data = device();
  CUstream blocking = nullptr;
  ASSERT_EQ(cuStreamCreate(&blocking, 0), 0);
  ASSERT_EQ(cuMemsetD8Async(data, 1, 4, blocking), 0);
  ASSERT_EQ(cuMemsetD8Async(data, 2, 4, nullptr), 0);
  EXPECT_EQ(read(data, blocking), 0x02020202);
  ASSERT_EQ(cuMemsetD8Async(data, 3, 4, blocking), 0);
  EXPECT_EQ(read(data, nullptr), 0x03030303);
  ASSERT_EQ(cuMemsetD8Async(data, 4, 4, stream), 0);
  EXPECT_EQ(read(data, nullptr), 0x03030303);
}

TEST_F(StandIn, CallsNeedAContext) {
  ASSERT_EQ(cuCtxPopCurrent_v2(nullptr), 0);
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAlloc_v2(&address, 8), 201);
  EXPECT_EQ(cuStreamSynchronize(stream), 201);
  ASSERT_EQ(cuCtxPushCurrent_v2(context), 0);
  std::thread([&] { EXPECT_EQ(cuMemAlloc_v2(&address, 8), 201); }).join();
}

TEST_F(StandIn, AnotherDevicesStreamIsRefused) {
  CUcontext second = nullptr;
  CUstream of_second = nullptr;
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&second, 1), 0);
  ASSERT_EQ(cuCtxPushCurrent_v2(second), 0);
  ASSERT_EQ(cuStreamCreate(&of_second, 1), 0);
  const CUdeviceptr there = device();
  ASSERT_EQ(cuCtxPopCurrent_v2(nullptr), 0);
  const CUfunction kernel = function(load(increment_ptx), "increment");
  EXPECT_EQ(launch(kernel, device(), 1, of_second), 400);
  EXPECT_THAT(took_misuses(), ElementsAre(HasSubstr("different devices")));
  set_devices(2);
  ASSERT_EQ(launch(kernel, there, 1, stream), 0);
  EXPECT_EQ(cuStreamSynchronize(stream), 700);
  EXPECT_THAT(took_misuses(), ElementsAre(HasSubstr("increment on device 0 was given memory of device 1")));
  set_devices(2);
  ASSERT_EQ(cuDevicePrimaryCtxRelease_v2(1), 0);
}

}  // namespace
}  // namespace stand_in
