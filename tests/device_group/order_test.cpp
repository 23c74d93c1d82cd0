// SPDX-License-Identifier: Apache-2.0
// What waits for what in a group.
#include <thread>

#include "bed.hpp"

namespace {

using namespace bed;

class DeviceGroupOrder : public Group {
 protected:
  std::vector<double> ones = std::vector<double>(3000, 1.0);
};

/// A launch queues, and gathers go on beside later partitions: they use streams of their own.
TEST_F(DeviceGroupOrder, LaunchesQueueAndGathersHaveStreamsOfTheirOwn) {
  const OnDevice<double> x(ones, 1);
  auto bound = on_group(plugin("axpy"), {0, 1}, {.npartitions = 3}).bind({{"x", x}, {"a", 2.0}, {"b", 1.0}});
  const std::size_t before = stand_in::calls().size();
  bound.launch();
  const auto calls = stand_in::calls();
  for (std::size_t k = before; k < calls.size(); ++k) {
    EXPECT_NE(calls[k].symbol, "cuStreamSynchronize");
    EXPECT_NE(calls[k].symbol, "cuEventSynchronize");
  }
  const auto launches = stand_in::launches("axpy");
  ASSERT_EQ(launches.size(), 6U);
  for (const auto& each : launches) EXPECT_EQ(each.executions, 0);
  for (const auto& call : stand_in_nccl::operations())
    if (call.symbol == "ncclAllGather") {
      for (const auto& each : launches) EXPECT_NE(call.stream, each.stream);
    }
  EXPECT_THAT(values_of<double>(bound.result().array("y")), testing::Each(3.0));
}

/// Equal parts go in one all-gather, others in a broadcast each; a rank of the communicator each.
TEST_F(DeviceGroupOrder, EvenPartsAreAllGatheredAndUnevenOnesBroadcast) {
  const auto count = [&](std::size_t n) {
    stand_in_nccl::reset();
    const OnDevice<double> x(std::vector<double>(n, 1.0), 0);
    static_cast<void>(on_group(plugin("axpy"), {0, 1, 2}).run({{"x", x}, {"a", 2.0}, {"b", 1.0}}));
    std::map<std::string, int> counts;
    for (const std::string& each : stand_in_nccl::calls()) ++counts[each];
    return std::pair(counts["ncclAllGather"], counts["ncclBroadcast"]);
  };
  EXPECT_EQ(count(300), std::pair(3, 6));   // x and the made y are sent
  EXPECT_EQ(count(301), std::pair(0, 15));  // and three parts
  EXPECT_EQ(count(2), std::pair(0, 12));    // one part is empty
}

TEST_F(DeviceGroupOrder, AStreamOfTheCallersIsFollowedAndLed) {
  const Stream stream;
  const OnDevice<double> x(ones), y(ones, 1), z(ones), w(ones);
  const auto first = on_device(plugin("axpy"), {}, {.stream = stream});
  auto before = first.bind({{"x", x}, {"y", z}, {"a", 4.0}, {"b", 0.0}});
  auto bound = on_group(plugin("axpy"), {0, 1}, {.npartitions = 2}).bind({{"x", z}, {"y", w}, {"a", 2.0}, {"b", 1.0}});
  auto after = first.bind({{"x", w}, {"y", x}, {"a", 1.0}, {"b", 0.5}});
  before.launch();
  bound.launch(stream);
  after.launch();
  static_cast<void>(after.result());
  EXPECT_THAT(x.values(), testing::Each(9.5));
  static_cast<void>(bound.result());
  EXPECT_THAT(refusal(Code::argument,
                      [&] { on_group(plugin("axpy"), {1, 0}).bind({{"x", y}, {"a", 1.0}, {"b", 0.0}}).launch(stream); }),
              HasSubstr("a stream must be one of this device's"));
  fresh();
}

TEST_F(DeviceGroupOrder, ACapturedStreamIsRefused) {
  const Stream stream;
  const OnDevice<double> x(ones);
  auto bound = on_group(plugin("axpy"), {0, 1}).bind({{"x", x}, {"a", 2.0}, {"b", 1.0}});
  const Current current(0);
  ASSERT_EQ(cuStreamBeginCapture_v2(stream.handle(), 0), 0);
  EXPECT_THAT(refusal(Code::argument, [&] { bound.launch(stream); }),
              AllOf(HasSubstr("plugin 'axpy'"), HasSubstr("cannot be captured")));
  CUgraph graph = nullptr;
  ASSERT_EQ(cuStreamEndCapture(stream.handle(), &graph), 0);
  cuGraphDestroy(graph);
  bound.launch();
  EXPECT_THAT(values_of<double>(bound.result().array("y")), testing::Each(3.0));
}

/// Nothing of the group is held while an observer is called.
TEST_F(DeviceGroupOrder, ObserversMayUseTheGroup) {
  struct Nested final : eagle::Observer {
    void end(const eagle::Partition&) override {
      const std::vector<double> one = {1};
      static_cast<void>(
          on_group(plugin("axpy"), {0, 1}, {}, {.staging = true}).run({{"x", view(one)}, {"a", 2.0}, {"b", 1.0}}));
      ++calls;
    }
    int calls = 0;
  };
  const auto observer = std::make_shared<Nested>();
  const auto result = on_group(plugin("axpy"), {0, 1}, {.npartitions = 2, .observer = observer}, {.staging = true})
                          .run({{"x", view(ones)}, {"a", 2.0}, {"b", 1.0}});
  EXPECT_EQ(observer->calls, 2);
  EXPECT_THAT(values_of<double>(result.array("y")), testing::Each(3.0));
}

TEST_F(DeviceGroupOrder, DevicesReachWhatTheOthersAllocate) {
  const OnDevice<double> x(ones, 3);
  static_cast<void>(on_group(plugin("axpy"), {3, 5}).run({{"x", x}, {"a", 2.0}, {"b", 1.0}}));
  EXPECT_EQ(stand_in::calls("device 3 lets in 5").size(), 1U);
  EXPECT_EQ(stand_in::calls("device 5 lets in 3").size(), 1U);
}

TEST_F(DeviceGroupOrder, PlansOfOneListShareCommunicators) {
  const OnDevice<double> x(ones);
  for (int k = 0; k < 3; ++k) static_cast<void>(on_group(plugin("axpy"), {0, 4}).run({{"x", x}, {"a", 2.0}, {"b", 1.0}}));
  const auto calls = stand_in_nccl::calls();
  EXPECT_LE(std::count(calls.begin(), calls.end(), "ncclCommInitAll"), 1);
}

TEST_F(DeviceGroupOrder, ThreadsTakeTurns) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      const std::vector<double> x(1000 + static_cast<std::size_t>(t), 1.0);
      for (int k = 0; k < 5; ++k)
        EXPECT_EQ(on_group(plugin("dot"), {0, 1, 2}, {.npartitions = 2}, {.staging = true})
                      .run({{"x", view(x)}, {"y", view(x)}})
                      .value<double>("total"),
                  1000.0 + t);
    });
  for (std::thread& each : threads) each.join();
}

}  // namespace
