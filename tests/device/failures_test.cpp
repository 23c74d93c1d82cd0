// SPDX-License-Identifier: Apache-2.0
// Memory that runs out, calls of the driver that fail, kernels that fault, devices that are lost: an error that names what
// failed, nothing left behind, and the next plan works or is refused in as many words.
#include <map>

#include "bed.hpp"

namespace {

using namespace bed;
using testing::StartsWith;

class Failures : public Device {
 protected:
  std::vector<double> x = std::vector<double>(3000, 1.0), y = x;

  [[nodiscard]] eagle::Plan dot() const { return on_device(plugin("dot"), {.npartitions = 3}, {.staging = true}); }

  /// Everything that a bound plan does, with maps and folds, on two streams, with large and strided copies.
  void use_all(const Stream& stream, const Memory& spread) {
    std::vector<double> large(40000, 1.0);
    const auto axpy = on_device(plugin("axpy"), {.npartitions = 2}, {.staging = true});
    auto map = axpy.bind({{"x", view(large)}, {"a", 2.0}, {"b", 1.0}});
    map.launch();
    map.launch(stream);
    static_cast<void>(map.result());
    map.rebind("x", view(large));
    map.launch();
    auto fold = dot().bind({{"x", view(x)}, {"y", view(y)}});
    fold.launch(stream);
    fold.launch();
    EXPECT_EQ(fold.result().value<double>("total"), 3000.0);
    const auto strided = spread.view(eagle::DType::float64, {40000}, {2});
    static_cast<void>(on_device(plugin("axpy")).run({{"x", strided}, {"a", 2.0}, {"b", 1.0}}));
    static_cast<void>(on_device(plugin("product"), {.combine = false}, {.staging = true}).run({{"x", view(x)}}));
    static_cast<void>(map.result());
  }
};

/// The k-th allocation of a binding, for every k: nothing of the others is left.
TEST_F(Failures, MemoryRunsOutAtEveryAllocation) {
  for (const char* name : {"dot", "axpy"}) {
    int failed = 0;
    for (const char* symbol : {"cuMemAllocAsync", "cuMemAlloc_v2", "cuMemHostAlloc"})
      for (int k = 1; k < 20; ++k) {
        fresh();
        const stand_in::Outstanding before = stand_in::outstanding();
        stand_in::fail(symbol, k, 2);
        const auto plan = on_device(plugin(name), {.npartitions = 3}, {.staging = true});
        eagle::Values values = {{"x", view(x)}};
        if (plan.plugin().id() == "dot") values.emplace("y", view(y));
        else values.insert({{"a", 1.0}, {"b", 0.0}});
        try {
          static_cast<void>(plan.bind(values));
          break;  // there is no k-th
        } catch (const eagle::Error& e) {
          ++failed;
          EXPECT_EQ(eagle::name(e.code()), "memory") << e.what();
          EXPECT_THAT(e.what(), AllOf(StartsWith(std::string("plugin '") + name + "'"), HasSubstr("cuda:0")));
        }
        drain();
        EXPECT_EQ(stand_in::outstanding().allocations, before.allocations) << symbol << " " << k;
        EXPECT_EQ(stand_in::outstanding().pinned, before.pinned) << symbol << " " << k;
      }
    EXPECT_GE(failed, 2);
    EXPECT_LE(failed, 10);
  }
}

TEST_F(Failures, MoreMemoryThanTheDeviceHas) {
  stand_in::set_memory(100000);
  EXPECT_THAT(refusal(Code::memory, [&] { static_cast<void>(on_device(plugin("countdown"), {.n_samples = 20000}).bind({})); }),
              AllOf(HasSubstr("'countdown'"), HasSubstr("no memory for an array int64 (20000,)"), HasSubstr("cuda:0")));
  static_cast<void>(on_device(plugin("countdown"), {.n_samples = 1000}).run({}));
}

/// Each call of the driver fails once: an error that names the plugin and the call, or, where something was given back, none.
TEST_F(Failures, EveryCallFailsOnce) {
  const Stream stream;
  const Memory spread(std::vector<double>(80000));
  // What a destructor cannot give back is lost, and nobody is told.
  const std::set<std::string> releases = {"cuMemFreeHost",       "cuEventDestroy_v2", "cuModuleUnload",
                                          "cuCtxPushCurrent_v2", "cuMemFree_v2",      "cuStreamDestroy_v2"};
  fresh();
  use_all(stream, spread);
  std::map<std::string, int> counts;
  for (const auto& call : stand_in::calls()) ++counts[call.symbol];
  ASSERT_GE(counts.size(), 20U);
  for (const auto& [symbol, count] : counts)
    for (int k = 1; k <= std::min(count, 30); ++k) {
      if (symbol.starts_with("cuGetError")) continue;
      fresh();
      drain();
      const stand_in::Outstanding before = stand_in::outstanding();
      stand_in::fail(symbol, k, 999);
      bool told = false;
      try {
        use_all(stream, spread);
      } catch (const eagle::Error& e) {
        told = true;
        EXPECT_THAT(e.what(), AllOf(StartsWith("plugin '"), HasSubstr("UNKNOWN"))) << symbol << " " << k;
      }
      fresh();  // a failure that has not come is forgotten
      CUcontext left = nullptr;
      if (symbol == "cuCtxPopCurrent_v2") cuCtxPopCurrent_v2(&left);
      drain();
      EXPECT_TRUE((!told && releases.contains(symbol)) || stand_in::outstanding() == before)
          << symbol << " " << k << ": " << stand_in::outstanding();
      EXPECT_THAT(stand_in::misuses(), testing::IsEmpty()) << symbol << " " << k;
    }
  fresh();
  before_ = stand_in::outstanding();
  before_.allocations -= 1;  // spread
  before_.bytes -= 640000;
  before_.streams -= 1;
  use_all(stream, spread);
}

}  // namespace
