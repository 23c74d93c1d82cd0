// SPDX-License-Identifier: Apache-2.0
// Captures and graphs of the stand-in.
#include "fixture.hpp"

namespace stand_in {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(StandIn, CapturesAreReplayed) {
  const CUdeviceptr data = device();
  const CUfunction kernel = function(load(increment_ptx), "increment");
  ASSERT_EQ(cuMemsetD8Async(data, 0, 64, stream), 0);
  CUevent fork = nullptr, join = nullptr;
  ASSERT_EQ(cuEventCreate(&fork, 2), 0);
  ASSERT_EQ(cuEventCreate(&join, 2), 0);
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, 0), 0);
  int status = 0;
  EXPECT_EQ(cuStreamIsCapturing(stream, &status), 0);
  EXPECT_EQ(status, 1);
  ASSERT_EQ(launch(kernel, data, 1, stream), 0);
  ASSERT_EQ(cuEventRecord(fork, stream), 0);
  ASSERT_EQ(cuStreamWaitEvent(other, fork, 0), 0);
  ASSERT_EQ(cuMemcpyDtoDAsync_v2(data + 4, data, 4, other), 0);
  ASSERT_EQ(cuEventRecord(join, other), 0);
  ASSERT_EQ(cuStreamWaitEvent(stream, join, 0), 0);
  ASSERT_EQ(launch(kernel, data, 2, stream), 0);
  CUgraph graph = nullptr;
  ASSERT_EQ(cuStreamEndCapture(stream, &graph), 0);
  CUgraphExec exec = nullptr;
  ASSERT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), 0);
  ASSERT_EQ(cuGraphDestroy(graph), 0);
  EXPECT_EQ(read(data, stream), 0);
  for (int k = 0; k < 3; ++k) ASSERT_EQ(cuGraphLaunch(exec, stream), 0);
  ASSERT_EQ(cuGraphExecDestroy(exec), 0);
  EXPECT_EQ(read(data, stream), 6);      // twice each replay
  EXPECT_EQ(read(data + 4, stream), 6);  // copied as 5, and 1
  EXPECT_EQ(launches()[0].executions, 3);
}

TEST_F(StandIn, ReplaysShowAnOrderThatWasNotCaptured) {
  const CUdeviceptr data = device();
  CUevent fork = nullptr, join = nullptr;
  ASSERT_EQ(cuEventCreate(&fork, 2), 0);
  ASSERT_EQ(cuEventCreate(&join, 2), 0);
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, 0), 0);
  ASSERT_EQ(cuEventRecord(fork, stream), 0);
  ASSERT_EQ(cuStreamWaitEvent(other, fork, 0), 0);
  ASSERT_EQ(cuMemsetD8Async(data, 1, 4, stream), 0);
  ASSERT_EQ(cuMemsetD8Async(data, 2, 4, other), 0);
  ASSERT_EQ(cuEventRecord(join, other), 0);
  ASSERT_EQ(cuStreamWaitEvent(stream, join, 0), 0);
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  ASSERT_EQ(cuStreamEndCapture(stream, &graph), 0);
  ASSERT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), 0);
  ASSERT_EQ(cuGraphLaunch(exec, stream), 0);
  EXPECT_EQ(read(data, stream), 0x01010101);
  ASSERT_EQ(cuGraphDestroy(graph), 0);
  ASSERT_EQ(cuGraphExecDestroy(exec), 0);
}

TEST_F(StandIn, WhatACaptureForbidsEndsIt) {
  CUgraph graph = nullptr;
  CUdeviceptr address = 0;
  int status = 0;
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, 0), 0);
  EXPECT_EQ(cuMemAlloc_v2(&address, 8), 900);
  EXPECT_EQ(cuStreamIsCapturing(stream, &status), 0);
  EXPECT_EQ(status, 2);
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), 901);
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, 2), 0);
  EXPECT_EQ(cuMemAlloc_v2(&address, 8), 0);
  EXPECT_EQ(cuStreamSynchronize(stream), 900);
  EXPECT_EQ(cuMemsetD8Async(address, 0, 8, stream), 901);
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), 901);
  EXPECT_EQ(cuStreamSynchronize(stream), 0);
}

}  // namespace
}  // namespace stand_in
