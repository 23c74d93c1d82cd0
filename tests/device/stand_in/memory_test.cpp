// SPDX-License-Identifier: Apache-2.0
// Memory of the stand-in.
#include "fixture.hpp"

namespace stand_in {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(StandIn, DeviceMemoryIsOutOfReachOfTheHost) {
  const CUdeviceptr data = device();
  EXPECT_DEATH(*reinterpret_cast<volatile char*>(data) = 1, "");
  set_protection(false);
  *reinterpret_cast<volatile char*>(data) = 1;
}

TEST_F(StandIn, MemoryIsUnwrittenAtFirst) { EXPECT_EQ(read(device(), stream), -1); }

TEST_F(StandIn, PointersAreKnown) {
  const auto ask = [](CUdeviceptr address) {
    int attributes[] = {2, 8, 9};
    unsigned type = 9, managed = 9;
    int ordinal = 9;
    void* values[] = {&type, &managed, &ordinal};
    EXPECT_EQ(cuPointerGetAttributes(3, attributes, values, address), 0);
    return std::vector<int>{static_cast<int>(type), static_cast<int>(managed), ordinal};
  };
  auto* const page_locked = pinned<char>(100);
  CUdeviceptr managed = 0;
  ASSERT_EQ(cuMemAllocManaged(&managed, 100, 1), 0);
  int here = 0;
  EXPECT_THAT(ask(device(100) + 99), ElementsAre(2, 0, 0));
  EXPECT_THAT(ask(reinterpret_cast<CUdeviceptr>(page_locked)), ElementsAre(1, 0, 0));
  EXPECT_THAT(ask(managed), ElementsAre(2, 1, 0));
  EXPECT_THAT(ask(reinterpret_cast<CUdeviceptr>(&here)), ElementsAre(0, 0, -2));
  *reinterpret_cast<char*>(managed) = 1;
  free_pinned(page_locked);
}

TEST_F(StandIn, MemoryOfStreamsIsWatched) {
  CUdeviceptr data = 0;
  ASSERT_EQ(cuMemAllocAsync(&data, 8, stream), 0);
  ASSERT_EQ(cuMemsetD8Async(data, 1, 8, stream), 0);
  EXPECT_EQ(read(data, stream), 0x01010101);
  ASSERT_EQ(cuMemFreeAsync(data, stream), 0);
  ASSERT_EQ(cuStreamSynchronize(stream), 0);
  EXPECT_THAT(misuses(), IsEmpty());

  ASSERT_EQ(cuMemAllocAsync(&data, 8, stream), 0);
  ASSERT_EQ(cuMemsetD8Async(data, 1, 8, other), 0);
  ASSERT_EQ(cuStreamSynchronize(other), 0);
  EXPECT_THAT(took_misuses(), ElementsAre(HasSubstr("ran before its allocation")));
  ASSERT_EQ(cuMemsetD8Async(data, 1, 8, other), 0);
  ASSERT_EQ(cuMemFreeAsync(data, stream), 0);
  ASSERT_EQ(cuMemsetD8Async(data, 1, 8, stream), 0);
  ASSERT_EQ(cuStreamSynchronize(stream), 700);
  EXPECT_THAT(took_misuses(), ElementsAre(HasSubstr("was queued after"), HasSubstr("which nothing orders before"),
                                          HasSubstr("which nothing orders before"), HasSubstr("ran after")));
}

TEST_F(StandIn, WritingBeyondTheEndIsFound) {
  const CUdeviceptr data = device(8);
  twin("increment", [](void* const* params, const Launch&) { (*static_cast<char**>(params[0]))[8] = 1; });
  ASSERT_EQ(launch(function(load(increment_ptx), "increment"), data, 1, stream), 0);
  ASSERT_EQ(cuMemFree_v2(data), 0);
  EXPECT_THAT(took_misuses(), ElementsAre(HasSubstr("written beyond")));
}

TEST_F(StandIn, FreeingTwiceIsFound) {
  const CUdeviceptr data = device();
  EXPECT_EQ(cuMemFree_v2(data), 0);
  EXPECT_EQ(cuMemFree_v2(data), 1);
  EXPECT_EQ(cuMemcpyHtoDAsync_v2(data, &context, 8, stream), 1);
  EXPECT_THAT(took_misuses(), ElementsAre(HasSubstr("freed twice"), HasSubstr("not within memory")));
}

}  // namespace
}  // namespace stand_in
