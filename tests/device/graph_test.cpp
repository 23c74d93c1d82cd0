// SPDX-License-Identifier: Apache-2.0
// Launches that are captured into CUDA graphs.
#include "bed.hpp"

namespace {

using namespace bed;
using testing::Each;
using testing::ElementsAre;

class Graph : public Device {
 protected:
  void TearDown() override {
    {
      const Current current(0);
      if (exec_ != nullptr) cuGraphExecDestroy(exec_);
      if (graph_ != nullptr) cuGraphDestroy(graph_);
    }
    Device::TearDown();
  }
  /// Captures what f queues on a stream.
  template <class F>
  void capture(const Stream& stream, F&& f) {
    const Current current(0);
    ASSERT_EQ(cuStreamBeginCapture_v2(stream.handle(), 0), 0);
    f();
    ASSERT_EQ(cuStreamEndCapture(stream.handle(), &graph_), 0);
    ASSERT_EQ(cuGraphInstantiateWithFlags(&exec_, graph_, 0), 0);
  }
  void replay(const Stream& stream) {
    const Current current(0);
    ASSERT_EQ(cuGraphLaunch(exec_, stream.handle()), 0);
    ASSERT_EQ(cuStreamSynchronize(stream.handle()), 0);
  }

 private:
  CUgraph graph_ = nullptr;
  CUgraphExec exec_ = nullptr;
};

TEST_F(Graph, OfAMapOnThePlansStream) {
  const Stream stream;
  const OnDevice<std::int64_t> left(std::vector<std::int64_t>{9, 8, 7});
  auto bound = on_device(plugin("countdown"), {.npartitions = 2}, {.stream = stream}).bind({{"left", left}});
  capture(stream, [&] { bound.launch(); });
  EXPECT_THAT(left.values(), ElementsAre(9, 8, 7));
  for (int k = 0; k < 3; ++k) replay(stream);
  EXPECT_THAT(left.values(), ElementsAre(6, 5, 4));
  static_cast<void>(bound.result());
}

TEST_F(Graph, OnAnotherStreamAfterALaunch) {
  const Stream stream;
  const OnDevice<std::int64_t> left(std::vector<std::int64_t>{9, 8, 7});
  auto bound = on_device(plugin("countdown")).bind({{"left", left}});
  const Current current(0);
  ASSERT_EQ(cuStreamBeginCapture_v2(stream.handle(), 0), 0);
  EXPECT_THAT(refusal(Code::argument, [&] { bound.launch(stream); }),
              AllOf(HasSubstr("'countdown'"), HasSubstr("captured"), HasSubstr("stream="), HasSubstr("launch once")));
  CUgraph none = nullptr;
  ASSERT_EQ(cuStreamEndCapture(stream.handle(), &none), 0);
  ASSERT_EQ(cuGraphDestroy(none), 0);
  bound.launch(stream);
  capture(stream, [&] { bound.launch(stream); });
  replay(stream);
  EXPECT_THAT(left.values(), ElementsAre(7, 6, 5));
}

/// A launch that was not waited for cannot come before one that is captured on another stream, nor after it.
TEST_F(Graph, NotWhileALaunchIsUnderWayElsewhere) {
  const Stream first, second;
  const OnDevice<std::int64_t> left(std::vector<std::int64_t>{9, 8, 7});
  auto bound = on_device(plugin("countdown")).bind({{"left", left}});
  bound.launch(first);
  capture(second, [&] {
    EXPECT_THAT(refusal(Code::argument, [&] { bound.launch(second); }), HasSubstr("result()"));
    static_cast<void>(bound.result());
    bound.launch(second);
    EXPECT_THAT(refusal(Code::argument, [&] { bound.launch(first); }), HasSubstr("captured"));
  });
  EXPECT_THAT(left.values(), ElementsAre(8, 7, 6));
  replay(second);
  EXPECT_THAT(left.values(), ElementsAre(7, 6, 5));
}

TEST_F(Graph, OfAFoldThatIsReplayed) {
  const Stream stream;
  const OnDevice<double> x(std::vector<double>(3000, 1.0));
  auto bound = on_device(plugin("dot"), {.npartitions = 2}, {.stream = stream}).bind({{"x", x}, {"y", x}});
  capture(stream, [&] { bound.launch(); });
  replay(stream);
  EXPECT_EQ(bound.result().value<double>("total"), 3000.0);
}

TEST_F(Graph, KeepsTheArgumentsOfItsCapture) {
  const Stream stream;
  const OnDevice<double> x(std::vector<double>{1, 2}), other(std::vector<double>{5, 6}), y(std::vector<double>{0, 0});
  auto bound = on_device(plugin("axpy"), {}, {.stream = stream}).bind({{"x", x}, {"y", y}, {"a", 2.0}, {"b", 1.0}});
  capture(stream, [&] { bound.launch(); });
  bound.rebind("a", -2.0);
  bound.rebind("x", other);
  replay(stream);
  EXPECT_THAT(y.values(), ElementsAre(3, 5));
  bound.launch();
  static_cast<void>(bound.result());
  EXPECT_THAT(y.values(), ElementsAre(-9, -11));
}

/// Whoever waits within a capture is told, and the capture stays whole.
TEST_F(Graph, CannotBeWaitedForWhileCaptured) {
  const Stream stream;
  const OnDevice<std::int64_t> left(std::vector<std::int64_t>{9, 8});
  auto bound = on_device(plugin("countdown"), {}, {.stream = stream}).bind({{"left", left}});
  capture(stream, [&] {
    bound.launch();
    EXPECT_THAT(refusal(Code::argument, [&] { static_cast<void>(bound.result()); }),
                AllOf(HasSubstr("'countdown'"), HasSubstr("end the capture")));
  });
  replay(stream);
  static_cast<void>(bound.result());
  EXPECT_THAT(left.values(), ElementsAre(8, 7));
}

}  // namespace
