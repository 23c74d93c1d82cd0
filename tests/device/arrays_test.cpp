// SPDX-License-Identifier: Apache-2.0
// Device arrays that are refused, with the argument's name; nothing is launched or written then.
#include "bed.hpp"

namespace {

using namespace bed;
using eagle::DType;

class Arrays : public Device {
 protected:
  void TearDown() override {
    EXPECT_TRUE(IsSkipped() || stand_in::launches("axpy").empty());
    Device::TearDown();
  }
  static std::string refused(Code code, const eagle::Value& x, const eagle::Value& y, bool staging = false) {
    return refusal(code, [&] {
      static_cast<void>(on_device(plugin("axpy"), {}, {.staging = staging}).bind({{"x", x}, {"y", y}, {"a", 1.0}, {"b", 0.0}}));
    });
  }
};

TEST_F(Arrays, ThatDoNotLieWhereTheySay) {
  std::vector<double> host = {1, 2};
  const OnDevice<double> y({0, 0});
  const auto claimed = view(host.data(), DType::float64, {2}, {}, {eagle::Device::cuda, 0});
  const auto lost = AllOf(HasSubstr("argument 'x'"), HasSubstr("cuda:0"), HasSubstr("CUDA knows no device memory"));
  EXPECT_THAT(refused(Code::argument, claimed, y), lost);
  EXPECT_THAT(refused(Code::argument, claimed, y, true), lost);
  const OnDevice<double> pinned({1, 2}, 0, Kind::pinned), other({1, 2}, 1);
  auto as_device = pinned.array();
  as_device.device = {eagle::Device::cuda, 0};
  EXPECT_THAT(refused(Code::argument, as_device, y), lost);
  auto as_here = other.array();
  as_here.device = {eagle::Device::cuda, 0};
  EXPECT_THAT(refused(Code::argument, as_here, y), AllOf(HasSubstr("argument 'x'"), HasSubstr("cuda:1")));
  const OnDevice<double> x({1, 2});
  auto unheard = x.array();
  unheard.device = {10, 0};  // ROCm's
  EXPECT_THAT(refused(Code::type, unheard, y), HasSubstr("argument 'x'"));
}

TEST_F(Arrays, ThatAreLongerThanTheirMemory) {
  const OnDevice<double> x({1, 2}), y({0, 0});
  eagle::ArrayView longer = x.array();
  longer.strides = {1 << 20};
  eagle::ArrayView backwards = x.array();
  backwards.strides = {-(1 << 20)};
  for (const auto& [array, end] : {std::pair(longer, "end"), std::pair(backwards, "beginning")})
    for (const bool staging : {false, true})
      EXPECT_THAT(refused(Code::argument, array, y, staging),
                  AllOf(HasSubstr("argument 'x'"), HasSubstr("bytes, and CUDA knows no memory of cuda:0"), HasSubstr(end)));
}

TEST_F(Arrays, ThatAreNoMemory) {
  const OnDevice<double> y({0, 0}), z({0, 0});
  eagle::ArrayView null = y.array();
  null.data = nullptr;
  EXPECT_THAT(refused(Code::argument, null, y), AllOf(HasSubstr("argument 'x'"), HasSubstr("null")));
  eagle::ArrayView odd = z.array();
  odd.data = static_cast<std::byte*>(odd.data) + 4;
  odd.shape = {1};
  eagle::ArrayView one = y.array();
  one.shape = {1};
  EXPECT_THAT(refused(Code::argument, odd, one), AllOf(HasSubstr("argument 'x'"), HasSubstr("multiple of 8")));
}

TEST_F(Arrays, ThatTheDriverCannotLookUp) {
  const OnDevice<double> x({1, 2}), y({0, 0});
  stand_in::fail("cuPointerGetAttributes", 1, 999);
  EXPECT_THAT(refused(Code::internal, x, y),
              HasSubstr("argument 'y' is said to lie on cuda:0, and cuPointerGetAttributes failed"));
}

TEST_F(Arrays, ThatCannotBeWritten) {
  const OnDevice<double> x({1, 2, 3}), y({0, 0, 0});
  const auto slice = [](const Memory& memory, std::int64_t first) {
    eagle::ArrayView part = memory.view(DType::float64, {2});
    part.data = static_cast<double*>(part.data) + first;
    return part;
  };
  EXPECT_THAT(refused(Code::argument, slice(y, 0), slice(y, 1)), AllOf(HasSubstr("argument 'y'"), HasSubstr("overlaps")));
  eagle::ArrayView fixed = slice(y, 0);
  fixed.read_only = true;
  EXPECT_THAT(refused(Code::argument, slice(x, 0), fixed), AllOf(HasSubstr("argument 'y'"), HasSubstr("read-only")));
  eagle::ArrayView repeated = slice(y, 0);
  repeated.strides = {0};
  EXPECT_THAT(refused(Code::argument, slice(x, 0), repeated), AllOf(HasSubstr("argument 'y'"), HasSubstr("share memory")));
}

TEST_F(Arrays, UniformsAreTheHosts) {
  const OnDevice<double> x({1, 2}), a({2});
  eagle::ArrayView one = a.array();
  one.shape = one.strides = {};
  EXPECT_THAT(
      refusal(Code::type, [&] { static_cast<void>(on_device(plugin("axpy")).bind({{"x", x}, {"a", one}, {"b", 0.0}})); }),
      AllOf(HasSubstr("argument 'a'"), HasSubstr("lies on cuda:0")));
}

TEST_F(Arrays, OfAHostPlanAreTheHosts) {
  const OnDevice<double> x({1, 2});
  EXPECT_THAT(refusal(Code::type, [&] { static_cast<void>(on_host(plugin("axpy")).bind({{"x", x}, {"a", 1.0}, {"b", 0.0}})); }),
              AllOf(HasSubstr("argument 'x'"), HasSubstr("host array")));
  EXPECT_EQ(eagle::device_of(x.data()), (eagle::Device{eagle::Device::cuda, 0}));
  EXPECT_EQ(eagle::device_of(this), eagle::Device());
}

/// Managed memory and pinned memory are the host's too.
TEST_F(Arrays, ManagedAndPinnedOnesRunOnTheHost) {
  stand_in::set_protection(false);
  for (const Kind kind : {Kind::managed, Kind::pinned}) {
    const OnDevice<double> x({1, 2}, 0, kind);
    const auto result = on_host(plugin("axpy")).run({{"x", x}, {"a", 2.0}, {"b", 0.0}});
    EXPECT_THAT(values_of<double>(result.array("y")), testing::ElementsAre(2, 4));
    EXPECT_NE(eagle::device_of(x.data()), eagle::Device());
  }
}

TEST_F(Arrays, SamplesMustAgree) {
  const OnDevice<double> x({1, 2}), y({0, 0, 0});
  EXPECT_THAT(refused(Code::argument, x, y), HasSubstr("2 samples"));
}

}  // namespace
