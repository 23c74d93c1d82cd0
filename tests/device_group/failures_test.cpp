// SPDX-License-Identifier: Apache-2.0
// NCCL that fails, kernels that fault, memory that runs out: told with what failed, nothing left behind, and never a hang.
#include "bed.hpp"

namespace {

using namespace bed;

class DeviceGroupFailures : public Group {
 protected:
  std::vector<double> x = std::vector<double>(3000, 1.0);

  /// A run of all that a group does.
  void use_all() const {
    static_cast<void>(on_group(plugin("axpy"), {0, 1, 2}, {.npartitions = 2}, {.staging = true})
                          .run({{"x", view(x)}, {"a", 2.0}, {"b", 1.0}}));
    const auto total = on_group(plugin("dot"), {0, 1, 2}, {}, {.staging = true}).run({{"x", view(x)}, {"y", view(x)}});
    EXPECT_EQ(total.value<double>("total"), 3000.0);
  }
  void TearDown() override {
    fresh();
    use_all();  // and all is well again
    Group::TearDown();
  }
};

TEST_F(DeviceGroupFailures, OfEveryCallOfNccl) {
  for (const char* symbol : {"ncclGroupStart", "ncclGroupEnd", "ncclBroadcast", "ncclAllGather"}) {
    int failed = 0;
    for (int nth = 1; nth < 60; ++nth) {
      fresh();
      stand_in_nccl::fail(symbol, nth, 1);
      try {
        use_all();
        break;
      } catch (const eagle::Error& e) {
        ++failed;
        EXPECT_EQ(eagle::name(e.code()), "unavailable") << e.what();
        EXPECT_THAT(e.what(), AllOf(testing::StartsWith("plugin '"), HasSubstr(symbol), HasSubstr("an error of the stand-in")));
      }
      stand_in_nccl::reset();
      use_all();  // with a new communicator
    }
    EXPECT_GT(failed, 0) << symbol;
  }
}

TEST_F(DeviceGroupFailures, OfMakingACommunicator) {
  const auto run = [&] {
    return on_group(plugin("dot"), {5, 6, 7}, {}, {.staging = true})
        .run({{"x", view(x)}, {"y", view(x)}})
        .value<double>("total");
  };
  stand_in_nccl::fail("ncclCommInitAll", 1, 2);
  EXPECT_THAT(refusal(Code::unavailable, [&] { run(); }),
              AllOf(HasSubstr("plugin 'dot'"), HasSubstr("ncclCommInitAll"), HasSubstr("an error of the stand-in")));
  EXPECT_EQ(run(), 3000.0);
}

/// Where NCCL notices later that something is wrong, whoever waits is told and the communicators are aborted.
TEST_F(DeviceGroupFailures, OfNcclMeanwhile) {
  const OnDevice<double> there(x, 1);
  use_all();
  auto bound = on_group(plugin("axpy"), {0, 1, 2}).bind({{"x", there}, {"a", 2.0}, {"b", 1.0}});
  bound.launch();
  stand_in_nccl::set_async_error(6);
  EXPECT_THAT(refusal(Code::unavailable, [&] { static_cast<void>(bound.result()); }),
              AllOf(HasSubstr("plugin 'axpy'"), HasSubstr("what NCCL was doing on cuda:")));
  const auto calls = stand_in_nccl::calls();
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "ncclCommAbort"), 3);
  stand_in_nccl::reset();
  EXPECT_THAT(refusal(Code::unavailable, [&] { bound.launch(); }), AllOf(HasSubstr("plugin 'axpy'"), HasSubstr("bind again")));
}

/// What others had launched is lost with the communicators, and they are told; a plan that was made before binds again.
TEST_F(DeviceGroupFailures, OfOnePlanAreToldToOthers) {
  const OnDevice<double> there(x, 1);
  const auto plan = on_group(plugin("axpy"), {0, 1, 2});
  const eagle::Values values = {{"x", there}, {"a", 2.0}, {"b", 1.0}};
  auto first = plan.bind(values), second = plan.bind(values);
  first.launch();
  second.launch();
  stand_in_nccl::set_async_error(6);
  EXPECT_THAT(refusal(Code::unavailable, [&] { static_cast<void>(first.result()); }), HasSubstr("what NCCL was doing"));
  stand_in_nccl::reset();
  for (auto* each : {&first, &second})
    for (int k = 0; k < 2; ++k)
      EXPECT_THAT(refusal(Code::unavailable, [&] { static_cast<void>(each->result()); }), HasSubstr("bind again"));
  EXPECT_THAT(values_of<double>(plan.run(values).array("y")), testing::Each(3.0));
}

/// The caller's stream comes after what devices were given before a launch failed.
TEST_F(DeviceGroupFailures, OfALaunchLeaveTheCallersStreamBehindTheDevices) {
  const Stream stream;
  const OnDevice<double> there(x, 0);
  CUdeviceptr memory = 0;
  const Current current(0);
  ASSERT_EQ(cuMemAllocAsync(&memory, 24000, stream.handle()), 0);
  const auto y = eagle::view(reinterpret_cast<void*>(memory), eagle::DType::float64, {3000}, {}, {eagle::Device::cuda, 0});
  auto bound = on_group(plugin("axpy"), {0, 1}, {.npartitions = 3}).bind({{"x", there}, {"y", y}, {"a", 2.0}, {"b", 1.0}});
  stand_in::fail("cuLaunchKernel", 4, 701);
  EXPECT_THAT(refusal(Code::body, [&] { bound.launch(stream); }), HasSubstr("partition (1000, "));
  EXPECT_EQ(cuMemFreeAsync(memory, stream.handle()), 0);
  stream.wait();
  EXPECT_THAT(stand_in::misuses(), testing::IsEmpty());
}

TEST_F(DeviceGroupFailures, OfAKernel) {
  for (const char* name : {"axpy", "dot"}) {
    fresh();
    stand_in::fail(name, 2, 700);
    EXPECT_THAT(refusal(Code::body, [&] { use_all(); }),
                AllOf(HasSubstr(name), HasSubstr("ILLEGAL_ADDRESS"), HasSubstr("cuda:")));
  }
}

TEST_F(DeviceGroupFailures, OfALaunch) {
  stand_in::fail("cuLaunchKernel", 3, 701);
  EXPECT_THAT(refusal(Code::body, [&] { use_all(); }), AllOf(HasSubstr("plugin 'axpy', partition ("), HasSubstr("cuda:")));
  use_all();
}

/// The k-th call of every function that allocates or makes something, for every k.
TEST_F(DeviceGroupFailures, OfMemoryAndOfTheDriver) {
  use_all();
  for (const char* symbol : {"cuMemAllocAsync", "cuMemHostAlloc", "cuEventCreate", "cuStreamWaitEvent", "cuEventRecord",
                             "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuEventQuery", "cuMemsetD8Async"}) {
    int failed = 0;
    for (int nth = 1; nth < 200; nth += nth < 20 ? 1 : 7) {
      fresh();
      stand_in::fail(symbol, nth, 2);
      try {
        use_all();
        break;
      } catch (const eagle::Error& e) {
        ++failed;
        EXPECT_EQ(eagle::name(e.code()), "memory") << e.what();
        EXPECT_THAT(e.what(), testing::StartsWith("plugin '")) << symbol << " " << nth;
      }
      fresh();
      use_all();
    }
    EXPECT_GT(failed, 0) << symbol;
    EXPECT_EQ(stand_in::outstanding().allocations, 0U) << symbol;
  }
}

}  // namespace
