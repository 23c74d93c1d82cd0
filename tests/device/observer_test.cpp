// SPDX-License-Identifier: Apache-2.0
// What an observer is told of a run on a device.
#include "bed.hpp"

namespace {

using namespace bed;

struct Log final : eagle::Observer {
  void begin(std::string_view label, const eagle::Partition& part) override {
    lines.push_back(std::string(label) + " " + to_string(part));
  }
  void end(const eagle::Partition& part) override { lines.push_back("end " + to_string(part)); }
  void progress(std::int64_t done, std::int64_t total) override {
    lines.push_back(std::to_string(done) + " of " + std::to_string(total));
  }
  void warning(std::string_view text) override { lines.emplace_back(text); }
  bool stop_requested() override { return stop; }
  std::vector<std::string> lines;
  bool stop = false;
};

class Observers : public Device {};

TEST_F(Observers, AreToldOfPartitionsOfMapsAndFolds) {
  const OnDevice<double> x(std::vector<double>(5, 1.0));
  for (const char* name : {"dot", "shift"}) {
    const auto log = std::make_shared<Log>();
    eagle::Values values = {{"x", x}};
    if (std::string(name) == "dot") values.emplace("y", x);
    static_cast<void>(on_device(plugin(name), {.npartitions = 2, .observer = log}).run(values));
    const std::string label = "eagle::DeviceKernel::run ";
    EXPECT_THAT(log->lines, testing::ElementsAre(label + "(0, 3, 5)", "end (0, 3, 5)", "3 of 5", label + "(3, 2, 5)",
                                                 "end (3, 2, 5)", "5 of 5"))
        << name;
  }
}

TEST_F(Observers, StopRunsBetweenPartitions) {
  const OnDevice<double> x(std::vector<double>(5, 1.0));
  const auto log = std::make_shared<Log>();
  log->stop = true;
  EXPECT_THAT(
      refusal(
          Code::interrupted,
          [&] { static_cast<void>(on_device(plugin("dot"), {.npartitions = 2, .observer = log}).run({{"x", x}, {"y", x}})); }),
      HasSubstr("stopped"));
  EXPECT_EQ(stand_in::launches("dot").size(), 1U);
}

TEST_F(Observers, AreWarnedOfCopiesButNotOfStaging) {
  const std::vector<double> host(6, 1.0);
  const Memory x(host);
  const auto log = std::make_shared<Log>();
  const auto warnings = [&](const eagle::ArrayView& array) {
    log->lines.clear();
    static_cast<void>(
        on_device(plugin("axpy"), {.observer = log}, {.staging = true}).bind({{"x", array}, {"a", 1.0}, {"b", 0.0}}));
    return log->lines;
  };
  EXPECT_THAT(warnings(x.view(eagle::DType::float64, {3}, {2})),
              testing::ElementsAre(AllOf(HasSubstr("argument 'x' is copied"), HasSubstr("not contiguous"))));
  EXPECT_THAT(warnings(view(host.data(), eagle::DType::float64, {3}, {2})), testing::IsEmpty());
}

}  // namespace
