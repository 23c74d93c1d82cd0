// SPDX-License-Identifier: Apache-2.0
// Which arrays and devices a group takes.
#include "bed.hpp"

namespace {

using namespace bed;

class DeviceGroupArrays : public Group {
 protected:
  static std::string refused(Code code, const eagle::Value& x, bool staging = false) {
    return refusal(code, [&] {
      static_cast<void>(on_group(plugin("axpy"), {0, 2}, {}, {.staging = staging}).bind({{"x", x}, {"a", 1.0}, {"b", 0.0}}));
    });
  }
};

TEST_F(DeviceGroupArrays, OfAnyOfItsDevicesMayBeMixed) {
  const OnDevice<double> x(std::vector<double>{1, 2, 3}, 2), y(std::vector<double>{4, 5, 6}, 0);
  EXPECT_EQ(on_group(plugin("dot"), {0, 1, 2}).run({{"x", x}, {"y", y}}).value<double>("total"), 32.0);
}

TEST_F(DeviceGroupArrays, OfOtherDevicesAndOfTheHostAreRefused) {
  const OnDevice<double> other(std::vector<double>{1, 2}, 1), pinned(std::vector<double>{1, 2}, 0, Kind::pinned);
  std::vector<double> host = {1, 2};
  EXPECT_THAT(refused(Code::type, other), AllOf(HasSubstr("argument 'x'"), HasSubstr("cuda:1"), HasSubstr("cuda:0")));
  EXPECT_THAT(refused(Code::type, other, true), AllOf(HasSubstr("argument 'x'"), HasSubstr("cuda:1")));
  EXPECT_THAT(refused(Code::type, view(host)), HasSubstr("staging"));
  EXPECT_THAT(refused(Code::type, pinned), HasSubstr("staging"));
  auto claimed = view(host);
  claimed.device = {eagle::Device::cuda, 2};
  EXPECT_THAT(refused(Code::argument, claimed), HasSubstr("CUDA knows no device memory"));
  const OnDevice<double> here(std::vector<double>{1, 2}, 0);
  auto elsewhere = here.array();
  for (const int device : {1, 2, 5}) {
    elsewhere.device = {eagle::Device::cuda, device};
    EXPECT_THAT(refused(Code::argument, elsewhere), HasSubstr("CUDA knows its address on cuda:0"));
  }
}

TEST_F(DeviceGroupArrays, ManagedMemoryAndStridedArrays) {
  const OnDevice<double> managed(std::vector<double>{1, 2, 3, 4}, 1, Kind::managed);
  const auto run = [](const eagle::Value& x) {
    return values_of<double>(on_group(plugin("axpy"), {0, 1}).run({{"x", x}, {"a", 2.0}, {"b", 0.0}}).array("y"));
  };
  EXPECT_THAT(run(managed), testing::ElementsAre(2, 4, 6, 8));
  const OnDevice<double> spread(std::vector<double>{1, 0, 2, 0, 3, 0}, 1);
  EXPECT_THAT(run(spread.Memory::view(eagle::DType::float64, {3}, {2})), testing::ElementsAre(2, 4, 6));
  const OnDevice<double> y(std::vector<double>(6), 1);
  static_cast<void>(on_group(plugin("axpy"), {0, 1})
                        .run({{"x", spread.Memory::view(eagle::DType::float64, {3}, {2})},
                              {"y", y.Memory::view(eagle::DType::float64, {3}, {2})},
                              {"a", 2.0},
                              {"b", 1.0}}));
  EXPECT_THAT(y.values(), testing::ElementsAre(3, 0, 5, 0, 7, 0));
}

TEST_F(DeviceGroupArrays, DevicesThatCannotBe) {
  EXPECT_THAT(refusal(Code::argument, [] { eagle::device_group({0, -1}); }), HasSubstr("[0, -1]"));
  EXPECT_THAT(refusal(Code::argument, [] { eagle::device_group({0, 1, 0}); }),
              AllOf(HasSubstr("[0, 1, 0]"), HasSubstr("each device once")));
  EXPECT_THAT(refusal(Code::argument, [] { eagle::device_group({0}, {.block = 2000}); }), HasSubstr("1 to 1024"));
  const std::vector<double> x = {1};
  EXPECT_THAT(
      refusal(Code::unavailable,
              [&] {
                static_cast<void>(
                    on_group(plugin("axpy"), {0, 8}, {}, {.staging = true}).run({{"x", view(x)}, {"a", 1.0}, {"b", 0.0}}));
              }),
      AllOf(HasSubstr("plugin 'axpy'"), HasSubstr("no cuda:8"), HasSubstr("8 devices")));
}

TEST_F(DeviceGroupArrays, AllDevicesWhereNoneAreNamed) {
  const std::vector<double> x(100, 1.0);
  static_cast<void>(on_group(plugin("axpy"), {}, {}, {.staging = true}).run({{"x", view(x)}, {"a", 1.0}, {"b", 0.0}}));
  EXPECT_EQ(stand_in::launches("axpy").size(), 8U);
}

TEST_F(DeviceGroupArrays, PlansSayWhere) {
  EXPECT_THAT(on_group(plugin("axpy"), {1, 0}, {}, {.block = 64, .staging = true}).describe(),
              HasSubstr("device_group(devices=[1, 0], block=64, staging=true)"));
  EXPECT_THAT(on_group(plugin("axpy"), {}).describe(), HasSubstr("device_group(devices=all)"));
}

}  // namespace
