// SPDX-License-Identifier: Apache-2.0
// What launches call, on which stream, and what waits for what.
#include <set>

#include "bed.hpp"

namespace {

using namespace bed;
using testing::Each;
using testing::ElementsAre;

/// The functions of the driver that f calls.
template <class F>
std::vector<std::string> called(F&& f) {
  const std::size_t before = stand_in::calls().size();
  f();
  std::vector<std::string> symbols;
  const auto calls = stand_in::calls();
  for (std::size_t k = before; k < calls.size(); ++k) symbols.push_back(calls[k].symbol);
  return symbols;
}

class Order : public Device {
 protected:
  std::vector<double> ones = std::vector<double>(3000, 1.0);
};

TEST_F(Order, ALaunchOfAMapQueuesKernelsAlone) {
  const OnDevice<double> x(ones), y(ones);
  auto bound = on_device(plugin("axpy"), {.npartitions = 3}).bind({{"x", x}, {"y", y}, {"a", 2.0}, {"b", 1.0}});
  const std::set<std::string> allowed = {"cuCtxPushCurrent_v2", "cuLaunchKernel", "cuCtxPopCurrent_v2"};
  for (int k = 0; k < 2; ++k)
    for (const std::string& symbol : called([&] { bound.launch(); })) EXPECT_TRUE(allowed.contains(symbol)) << symbol;
  EXPECT_EQ(stand_in::launches("axpy").size(), 6U);
  EXPECT_EQ(stand_in::launches("axpy")[0].executions, 0);
  static_cast<void>(bound.result());
  EXPECT_EQ(stand_in::launches("axpy")[5].executions, 1);
  EXPECT_THAT(y.values(), Each(3.0));
}

TEST_F(Order, ALaunchOfAFoldQueuesKernelsAndCopiesToPinnedMemory) {
  const OnDevice<double> x(ones);
  const auto plan = on_device(plugin("dot"), {.npartitions = 2});
  auto bound = plan.bind({{"x", x}, {"y", x}});
  const std::set<std::string> allowed = {"cuCtxPushCurrent_v2", "cuLaunchKernel", "cuMemcpyDtoHAsync_v2", "cuCtxPopCurrent_v2"};
  for (int k = 0; k < 2; ++k)
    for (const std::string& symbol : called([&] { bound.launch(); })) EXPECT_TRUE(allowed.contains(symbol)) << symbol;
  EXPECT_EQ(stand_in::launches("dot")[0].executions, 0);
  EXPECT_EQ(bound.result().value<double>("total"), 3000.0);
}

TEST_F(Order, BindingIsSeenByLaunchesOnOtherStreams) {
  const Stream stream;
  const OnDevice<double> x(ones);
  // y is made and zeroed on the plan's stream, and so is the made counter.
  auto bound = on_device(plugin("axpy")).bind({{"x", x}, {"a", 2.0}, {"b", 1.0}});
  bound.launch(stream);
  EXPECT_EQ(stand_in::launches("axpy")[0].stream, stream.handle());
  const auto again = called([&] { bound.launch(stream); });
  EXPECT_EQ(std::count(again.begin(), again.end(), "cuStreamSynchronize"), 0);
  EXPECT_THAT(values_of<double>(bound.result().array("y")), Each(3.0));
  EXPECT_EQ(stand_in::pending(), 0U);
  bound.launch(nullptr);  // the legacy stream
  EXPECT_THAT(values_of<double>(bound.result().array("y")), Each(3.0));
}

/// What is on its way on the plan's stream need not have ended for an artifact to be loaded and checked.
TEST_F(Order, LoadingWaitsForNothing) {
  const Stream stream;
  const OnDevice<double> x(ones), y(ones), z(ones);
  const OnDevice<std::int64_t> steps(std::vector<std::int64_t>(ones.size()));
  auto first = on_device(plugin("axpy"), {}, {.stream = stream}).bind({{"x", x}, {"y", y}, {"a", 2.0}, {"b", 1.0}});
  first.launch();
  const std::string loads = "cuModuleLoadDataEx";
  const std::size_t before = stand_in::calls(loads).size();
  const auto second = on_device(plugin("newton"), {}, {.stream = stream}).bind({{"x", y}, {"root", z}, {"steps", steps}});
  EXPECT_GT(stand_in::calls(loads).size(), before);
  EXPECT_EQ(stand_in::launches("axpy")[0].executions, 0);
}

TEST_F(Order, AStreamOfThePlanIsUsedForEverything) {
  const Stream stream;
  const Memory y(ones);
  {
    auto bound =
        on_device(plugin("axpy"), {}, {.stream = stream, .staging = true}).bind({{"x", view(ones)}, {"a", 2.0}, {"b", 1.0}});
    bound.launch();
    EXPECT_EQ(stand_in::launches("axpy")[0].stream, stream.handle());
    EXPECT_THAT(values_of<double>(bound.result().array("y")), Each(3.0));
  }
  stream.wait();
}

/// Whatever streams launches were queued on, result() and the destructor wait for all of them.
TEST_F(Order, ResultWaitsForEveryStream) {
  const Stream first, second;
  const OnDevice<std::int64_t> left(std::vector<std::int64_t>{5, 6});
  auto bound = on_device(plugin("countdown")).bind({{"left", left}});
  bound.launch(first);
  bound.launch(second);
  bound.launch();
  static_cast<void>(bound.result());
  EXPECT_EQ(stand_in::pending(), 0U);
  EXPECT_THAT(left.values(), ElementsAre(2, 3));
}

TEST_F(Order, ABoundPlanThatGoesAwayWaitsForItsLaunches) {
  const Stream first, second;
  const OnDevice<double> x(ones);
  {
    auto bound = on_device(plugin("dot")).bind({{"x", x}, {"y", x}});
    bound.launch(first);
    bound.launch(second);
  }
  {
    auto bound = on_device(plugin("axpy")).bind({{"x", x}, {"a", 2.0}, {"b", 1.0}});
    bound.launch();
    bound.launch(first);
  }
  EXPECT_EQ(stand_in::launches("axpy").back().executions, 1);
}

/// Two folds share their scratch: the second comes after the first.
TEST_F(Order, FoldsOnTwoStreamsComeOneAfterTheOther) {
  const Stream first, second;
  const OnDevice<double> x(ones), twos(std::vector<double>(3000, 2.0));
  auto bound = on_device(plugin("dot")).bind({{"x", x}, {"y", x}});
  bound.launch(first);
  bound.rebind("y", twos);
  bound.launch(second);
  second.wait();
  EXPECT_EQ(stand_in::pending(), 0U);
  EXPECT_EQ(bound.result().value<double>("total"), 6000.0);
}

TEST_F(Order, RebindingKeepsWhatIsQueued) {
  const Stream stream;
  const OnDevice<double> first(std::vector<double>{1, 2}), second(std::vector<double>{3, 4}), y(std::vector<double>{0, 0}),
      z(std::vector<double>{0, 0});
  auto bound = on_device(plugin("axpy")).bind({{"x", first}, {"y", y}, {"a", 1.0}, {"b", 0.0}});
  bound.launch(stream);
  bound.rebind("x", second);
  bound.rebind("y", z);
  bound.launch(stream);
  static_cast<void>(bound.result());
  EXPECT_THAT(y.values(), ElementsAre(1, 2));
  EXPECT_THAT(z.values(), ElementsAre(3, 4));
}

/// What a staged output was before it was bound anew has its values, as on the host.
TEST_F(Order, RebindingStagedArraysLosesNothing) {
  const Stream stream;
  std::vector<double> x = {1, 2}, other = {3, 4}, y(2), z(2);
  auto bound = on_device(plugin("axpy"), {}, {.staging = true}).bind({{"x", view(x)}, {"y", view(y)}, {"a", 1.0}, {"b", 0.0}});
  bound.launch(stream);
  bound.rebind("x", view(other));
  bound.rebind("y", view(z));
  bound.launch(stream);
  static_cast<void>(bound.result());
  EXPECT_THAT(y, ElementsAre(1, 2));
  EXPECT_THAT(z, ElementsAre(3, 4));
}

/// Partials of samples that a body skips are the identity again, though a launch on another stream was still to come.
TEST_F(Order, PartialsAreSeededAfterLaunchesUnderWay) {
  const Stream stream;
  const OnDevice<double> x(std::vector<double>{2, 3});
  const OnDevice<std::uint8_t> first(std::vector<std::uint8_t>{0, 1}), second(std::vector<std::uint8_t>{1, 0});
  auto bound = on_device(plugin("product"), {.combine = false}).bind({{"x", x}, {"terminated", first}});
  bound.launch(stream);
  bound.rebind("terminated", second);
  bound.launch(stream);
  EXPECT_THAT(values_of<double>(bound.result().array("total")), ElementsAre(1, 3));
}

TEST_F(Order, NothingIsCurrentBeforeOrAfter) {
  const OnDevice<double> x(ones);
  CUcontext context = nullptr;
  static_cast<void>(on_device(plugin("dot"), {}, {.device = 0}).run({{"x", x}, {"y", x}}));
  ASSERT_EQ(cuCtxGetCurrent(&context), 0);
  EXPECT_EQ(context, nullptr);
  const Current other(1);
  CUcontext before = nullptr;
  ASSERT_EQ(cuCtxGetCurrent(&before), 0);
  static_cast<void>(on_device(plugin("dot"), {}, {.device = 0}).run({{"x", x}, {"y", x}}));
  ASSERT_EQ(cuCtxGetCurrent(&context), 0);
  EXPECT_EQ(context, before);
}

}  // namespace
