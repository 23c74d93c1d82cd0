// SPDX-License-Identifier: Apache-2.0
// Host arrays that are copied to the device and back, and arrays that a device cannot take.
#include "bed.hpp"

namespace {

using namespace bed;
using eagle::DType;
using testing::ElementsAre;

class Staging : public Device {
 protected:
  std::vector<double> x = {1, 2, 3}, y = {0, 0, 0};
};

TEST_F(Staging, IsAskedFor) {
  const auto bind = [&](eagle::Value value, bool staging) {
    static_cast<void>(on_device(plugin("axpy"), {}, {.staging = staging}).bind({{"x", value}, {"a", 1.0}, {"b", 0.0}}));
  };
  const auto told = AllOf(HasSubstr("'axpy'"), HasSubstr("argument 'x'"), HasSubstr("cuda:0"), HasSubstr("staging"));
  EXPECT_THAT(refusal(Code::type, [&] { bind(view(x), false); }), AllOf(told, HasSubstr("lies on cpu")));
  const OnDevice<double> pinned(x, 0, Kind::pinned), other(x, 1), managed(x, 0, Kind::managed),
      managed_there(x, 1, Kind::managed);
  EXPECT_THAT(refusal(Code::type, [&] { bind(pinned, false); }), told);
  bind(view(x), true);
  bind(pinned, true);
  for (const bool staging : {false, true}) {
    bind(managed, staging);
    bind(managed_there, staging);
    EXPECT_THAT(refusal(Code::type, [&] { bind(other, staging); }),
                AllOf(HasSubstr("argument 'x'"), HasSubstr("lies on cuda:1"), HasSubstr("runs on cuda:0")));
  }
}

TEST_F(Staging, OfOneArgumentAmongDeviceArraysGivesDeviceResults) {
  const OnDevice<double> there(x);
  const auto plan = on_device(plugin("dot"), {.combine = false}, {.staging = true});
  EXPECT_EQ(plan.run({{"x", there}, {"y", view(x)}}).array("total").device.type, eagle::Device::cuda);
  const auto result = plan.run({{"x", view(x)}, {"y", view(x)}});
  EXPECT_EQ(result.array("total").device, eagle::Device());
  EXPECT_THAT(values_of<double>(result.array("total")), ElementsAre(1, 4, 9));
}

TEST_F(Staging, OfArraysInEveryLayout) {
  // Samples first, every second sample, backwards, and a column of another array.
  const std::vector<double> p = {1, 10, 100, 2, 20, 200};
  std::vector<double> q = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const auto q_view = view(q.data(), DType::float64, {2, 3}, {6, 2});
  const auto v_view = view(p.data() + 3, DType::float64, {3, 2}, {1, -3});
  on_device(plugin("drift3"), {.layout = {{"q", eagle::Layout::sample}}}, {.staging = true})
      .run({{"q", q_view}, {"p", view(p.data(), DType::float64, {2, 3})}, {"v", v_view}, {"dt", 1.0}});
  EXPECT_THAT(q, ElementsAre(3, 1, 30, 1, 300, 1, 3, 1, 30, 1, 300, 1));
}

TEST_F(Staging, WidensInputs) {
  const std::vector<float> narrow = {1, 2, 3};
  const std::vector<std::uint8_t> flags = {1, 0, 1};
  const auto run = [&](const eagle::Value& value, eagle::DeviceKernelOptions where) {
    const auto plan = on_device(plugin("axpy"), {}, std::move(where));
    return values_of<double>(plan.run({{"x", value}, {"a", 2.0}, {"b", 0.5}}).array("y"));
  };
  EXPECT_THAT(run(view(narrow), {.staging = true}), ElementsAre(2.5, 4.5, 6.5));
  EXPECT_THAT(run(view(flags), {.staging = true}), ElementsAre(2.5, 0.5, 2.5));
  const OnDevice<float> there(narrow);
  EXPECT_THAT(run(there, {}), ElementsAre(2.5, 4.5, 6.5));
  EXPECT_THAT(refusal(Code::type, [&] { static_cast<void>(on_device(plugin("hash_mix")).bind({{"k", there}, {"seed", 1}})); }),
              AllOf(HasSubstr("argument 'k'"), HasSubstr("int64 is due")));
}

/// On the device itself, by eagle's own kernels; a bound output is never copied.
TEST_F(Staging, StridedDeviceArraysAreCopiedThere) {
  const OnDevice<double> wide({1, -1, 2, -1, 3, -1}), out({0, 7, 0, 7, 0, 7});
  const auto strided = [](const Memory& memory) { return memory.view(DType::float64, {3}, {2}); };
  const auto plan = on_device(plugin("axpy"));
  EXPECT_THAT(values_of<double>(plan.run({{"x", strided(wide)}, {"a", 2.0}, {"b", 0.0}}).array("y")), ElementsAre(2, 4, 6));
  const eagle::Values values = {{"x", strided(wide)}, {"y", strided(out)}, {"a", 2.0}, {"b", 0.0}};
  EXPECT_THAT(refusal(Code::argument, [&] { static_cast<void>(plan.bind(values)); }), HasSubstr("written in place"));
  static_cast<void>(plan.run(values));
  EXPECT_THAT(out.values(), ElementsAre(2, 7, 4, 7, 6, 7));
}

TEST_F(Staging, GoesThroughPinnedPiecesWhereItIsLarge) {
  const std::vector<double> large((std::size_t{9} << 20) / 8 + 5, 3.0);
  const auto copies = [](std::size_t from) {
    std::vector<std::string> found;
    const auto calls = stand_in::calls("cuMemcpyHtoD");
    for (std::size_t k = from; k < calls.size(); ++k) found.push_back(calls[k].symbol + " " + calls[k].text);
    return found;
  };
  std::vector<double> out(large.size());
  on_device(plugin("axpy"), {}, {.staging = true}).run({{"x", view(large)}, {"y", view(out)}, {"a", 2.0}, {"b", 1.0}});
  EXPECT_EQ(out, std::vector<double>(large.size(), 7.0));
  EXPECT_EQ(stand_in::calls("cuMemcpyHtoDAsync_v2 4194304 bytes").size(), 4U);
  EXPECT_EQ(stand_in::calls("cuMemcpyDtoHAsync_v2 4194304 bytes").size(), 2U);
  EXPECT_EQ(stand_in::calls("cuMemHostAlloc").size(), 6U);
  // Pinned arrays are their own pieces.
  const OnDevice<double> pinned(large, 0, Kind::pinned);
  const std::size_t before = stand_in::calls("cuMemcpyHtoD").size();
  auto bound = on_device(plugin("axpy"), {}, {.staging = true}).bind({{"x", pinned}, {"a", 2.0}, {"b", 1.0}});
  ASSERT_EQ(copies(before).size(), 1U);
  EXPECT_THAT(copies(before)[0], HasSubstr(std::to_string(large.size() * 8) + " bytes"));
}

/// A bound plan's host arrays are brought there at the binding, and outputs come back with each result.
TEST_F(Staging, LaunchesCopyNothing) {
  std::vector<std::int64_t> left = {5, 6, 7};
  auto bound = on_device(plugin("countdown"), {}, {.staging = true}).bind({{"left", view(left)}});
  const std::size_t before = stand_in::calls("cuMemcpy").size();
  bound.launch();
  bound.launch();
  EXPECT_EQ(stand_in::calls("cuMemcpy").size(), before);
  EXPECT_THAT(left, ElementsAre(5, 6, 7));
  static_cast<void>(bound.result());
  EXPECT_THAT(left, ElementsAre(3, 4, 5));
  bound.launch();
  static_cast<void>(bound.result());
  EXPECT_THAT(left, ElementsAre(2, 3, 4));
}

/// Results outlive the plan that made them.
TEST_F(Staging, ResultsHoldTheirMemory) {
  const OnDevice<double> there(x);
  const auto run = [&](eagle::Value value) {
    return on_device(plugin("axpy"), {}, {.staging = true}).run({{"x", std::move(value)}, {"a", 2.0}, {"b", 0.0}});
  };
  const auto host = run(view(x)), device = run(there);
  EXPECT_THAT(values_of<double>(host.array("y")), ElementsAre(2, 4, 6));
  EXPECT_THAT(values_of<double>(device.array("y")), ElementsAre(2, 4, 6));
}

TEST_F(Staging, SingleSamples) {
  const auto plan = on_device(plugin("axpy"), {}, {.staging = true});
  const auto result = plan.run({{"x", 3.0}, {"a", 2.0}, {"b", 1.0}});
  EXPECT_TRUE(result.array("y").shape.empty());
  EXPECT_EQ(result.value<double>("y"), 7.0);
  std::vector<double> p = {1, 2, 3}, v = {4, 5, 6};
  const auto q =
      on_device(plugin("drift3"), {}, {.staging = true}).run({{"p", view(p)}, {"v", view(v)}, {"dt", 2.0}}).array("q");
  EXPECT_EQ(q.shape, eagle::Extents{3});
}

}  // namespace
