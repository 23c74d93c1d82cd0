// SPDX-License-Identifier: Apache-2.0
// Several threads, several devices.
#include <thread>

#include "bed.hpp"

namespace {

using namespace bed;

class Threads : public Device {
 protected:
  static std::vector<double> ramp(double first) {
    std::vector<double> x(5000);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = first + static_cast<double>(i);
    return x;
  }
  /// The sum over i < 5000 of first + i.
  static double sum(double first) { return 5000 * first + 4999.0 * 5000 / 2; }
};

TEST_F(Threads, LaunchBoundPlansOfOnePlan) {
  const auto plan = on_device(plugin("dot"), {.npartitions = 3}, {.staging = true});
  const std::vector<double> ones(5000, 1.0);
  const auto work = [&](double first) {
    const auto x = ramp(first);
    auto bound = plan.bind({{"x", view(x)}, {"y", view(ones)}});
    for (int k = 0; k < 50; ++k) {
      bound.launch();
      ASSERT_EQ(bound.result().value<double>("total"), sum(first));
    }
  };
  std::jthread other(work, 1.0);
  work(2.0);
}

/// The first use of a kernel by many at once.
TEST_F(Threads, RunOnePlan) {
  const auto plan = on_device(plugin("axpy"), {}, {.device = 1, .staging = true});
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&plan, t] {
      const std::vector<double> x(1000, t);
      for (int k = 0; k < 10; ++k) {
        const auto result = plan.run({{"x", view(x)}, {"a", 2.0}, {"b", 1.0}});
        ASSERT_EQ(values_of<double>(result.array("y")), std::vector<double>(1000, 2.0 * t + 1));
      }
    });
}

TEST_F(Threads, DevicesWorkAtOnce) {
  const auto x = ramp(1.0), ones = std::vector<double>(5000, 1.0);
  std::vector<eagle::BoundPlan> bound;
  for (const int device : {0, 1, 0, 1})
    bound.push_back(
        on_device(plugin("dot"), {}, {.device = device, .staging = true}).bind({{"x", view(x)}, {"y", view(ones)}}));
  for (auto& each : bound) each.launch();
  EXPECT_GT(stand_in::pending(), 0U);
  for (auto& each : bound) EXPECT_EQ(each.result().value<double>("total"), sum(1.0));
  std::vector<int> devices;
  for (const auto& launch : stand_in::launches("dot")) devices.push_back(launch.device);
  EXPECT_THAT(devices, testing::ElementsAre(0, 1, 0, 1));
}

}  // namespace
