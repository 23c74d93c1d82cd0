// SPDX-License-Identifier: Apache-2.0
// HostTeam beside other things that happen in a process: exceptions, interrupts, threads, tools, floating-point modes.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <thread>

#include <eagle/eagle.hpp>
#include <eagle/kokkos.hpp>

#include "support.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace {

using eagle::Code;
using testing::HasSubstr;

std::filesystem::path own(const std::string& name) { return std::filesystem::path(EAGLE_OWN_BUNDLES) / name; }

eagle::Plan plan_of(const std::filesystem::path& path, eagle::HostTeamOptions team, eagle::PlanOptions options = {}) {
  options.structure = eagle::host_team(std::move(team));
  return eagle::plan(eagle::load(path).only(), std::move(options));
}

TEST(Runtime, AThrowingBodyIsReportedWithPluginPartitionAndText) {
  std::vector<double> x = support::uniforms(50000, 1), y(x.size());
  for (const int threads : {1, 2, 4}) {
    x[40000] = 2;
    const auto plan = plan_of(own("throwing"), {.threads = threads}, {.npartitions = 2});
    const eagle::Values values = {{"x", eagle::view(x)}, {"y", eagle::view(y)}, {"limit", 1.0}};
    const std::string message = support::refusal(Code::body, [&] { plan.run(values); });
    EXPECT_THAT(message, HasSubstr("plugin 'throwing', partition (25000, 25000, 50000)"));
    EXPECT_THAT(message, HasSubstr("x is above the limit"));
    x[40000] = 0;
    plan.run(values);
    EXPECT_EQ(x, y) << "the plan is usable again";
  }
}

struct StopAfter final : eagle::Observer {
  std::chrono::steady_clock::time_point when = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  bool stop_requested() override { return std::chrono::steady_clock::now() > when; }
};

TEST(Runtime, AnObserverStopsALongRun) {
  for (const int threads : {1, 2})
    for (const auto schedule : {eagle::Schedule::static_, eagle::Schedule::dynamic}) {
      const auto start = std::chrono::steady_clock::now();
      const auto plan = plan_of(own("slow"), {.threads = threads, .schedule = schedule},
                                {.n_samples = 1000000, .observer = std::make_shared<StopAfter>()});
      EXPECT_THAT(support::refusal(Code::interrupted, [&] { plan.run({{"microseconds", 50}}); }), HasSubstr("was stopped"));
      EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2)) << "whole run: 25 s and more";
    }
}

/// A few expensive samples: a stop is noticed after one of them, and the others are shared by the team.
TEST(Runtime, FewExpensiveSamplesAreATeamsWork) {
  const auto seconds = [](int threads, std::int64_t samples, std::int64_t microseconds,
                          std::shared_ptr<eagle::Observer> observer) {
    const auto start = std::chrono::steady_clock::now();
    const auto plan = plan_of(own("slow"), {.threads = threads}, {.n_samples = samples, .observer = std::move(observer)});
    try {
      plan.run({{"microseconds", microseconds}});
    } catch (const eagle::Error& e) {
      EXPECT_EQ(e.code(), Code::interrupted);
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  EXPECT_LT(seconds(2, 400, 5000, std::make_shared<StopAfter>()), 1.0) << "400 samples of 5 ms";
  EXPECT_LT(seconds(1, 400, 5000, std::make_shared<StopAfter>()), 1.0);
}

TEST(Runtime, AnObserverThatThrowsStopsTheRun) {
  struct Throwing final : eagle::Observer {
    bool stop_requested() override { throw std::runtime_error("no more"); }
  };
  const auto plan = plan_of(own("slow"), {.threads = 2}, {.n_samples = 1000000, .observer = std::make_shared<Throwing>()});
  EXPECT_THAT(support::refusal(Code::body, [&] { plan.run({{"microseconds", 50}}); }), HasSubstr("no more"));
}

/// The long run ends when the other plan is gone, or after a while.
TEST(Runtime, APlanIsMadeRunAndDroppedWhileAnotherRuns) {
  struct StopWhenDropped final : eagle::Observer {
    std::atomic<bool> running = false, dropped = false, late = false;
    std::chrono::steady_clock::time_point end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    bool stop_requested() override {
      running = true;
      late = std::chrono::steady_clock::now() > end;
      return dropped || late;
    }
  };
  const auto observer = std::make_shared<StopWhenDropped>();
  const eagle::HostTeamOptions team{.threads = 2, .schedule = eagle::Schedule::dynamic};
  std::thread other([&] {
    const auto plan = plan_of(own("slow"), team, {.n_samples = 1000000, .observer = observer});
    EXPECT_THAT(support::refusal(Code::interrupted, [&] { plan.run({{"microseconds", 50}}); }), HasSubstr("was stopped"));
  });
  while (!observer->running && std::chrono::steady_clock::now() < observer->end) std::this_thread::yield();
  for (const int threads : {2, 3}) plan_of(own("slow"), {.threads = threads}, {.n_samples = 100}).run({{"microseconds", 100}});
  observer->dropped = true;
  other.join();
  EXPECT_FALSE(observer->late);
}

TEST(Runtime, TilesOfAnySizeCoverTheRun) {
  const std::vector<double> x(100000, 1.0);
  for (const std::int64_t tile : {std::int64_t{1}, std::int64_t{99999}, std::numeric_limits<std::int64_t>::max()}) {
    const auto result = plan_of(support::bundle("axpy"), {.threads = 2, .schedule = eagle::Schedule::dynamic, .tile = tile})
                            .run({{"x", eagle::view(x)}, {"a", 1.0}, {"b", 1.0}});
    const auto* y = static_cast<const double*>(result.array("y").data);
    EXPECT_TRUE(std::all_of(y, y + x.size(), [](double value) { return value == 2; })) << tile;
  }
}

TEST(Runtime, TilesAreAtMostAsManyAsParts) {
  const std::int64_t n = eagle::most_parts + 1;
  const auto plan = plan_of(support::bundle("sum_index64"), {.threads = 2, .schedule = eagle::Schedule::dynamic, .tile = 1},
                            {.n_samples = n});
  EXPECT_EQ(plan.run({}).value<std::int64_t>("total"), n * (n - 1) / 2);
}

TEST(Runtime, SeveralThreadsLaunchAtOnce) {
  const std::vector<double> x = support::uniforms(100003, 2);
  std::vector<std::vector<double>> y(4, std::vector<double>(x.size()));
  std::vector<std::thread> threads;
  for (auto& out : y)
    threads.emplace_back([&x, &out] {
      auto bound = plan_of(support::bundle("axpy"), {.threads = 2})
                       .bind({{"x", eagle::view(x)}, {"y", eagle::view(out)}, {"a", 2.0}, {"b", 1.0}});
      for (int k = 0; k < 50; ++k) bound.launch();
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < x.size(); ++i)
    for (const auto& out : y) ASSERT_EQ(out[i], 2 * x[i] + 1);
}

/// A forked process has no team threads: it is told so, and ends like any other.
TEST(Runtime, AProcessForkedFromARunningOneIsRefused) {
  const std::vector<double> x(10, 1.0);
  const auto run = [&] {
    plan_of(support::bundle("axpy"), {.threads = 2}).run({{"x", eagle::view(x)}, {"a", 1.0}, {"b", 1.0}});
  };
  run();
  const auto child = [&] {
    EXPECT_THAT(support::refusal(Code::unavailable, run), HasSubstr("forked"));
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(child(), testing::ExitedWithCode(0), "");
  run();
}

TEST(Runtime, PartitionsAreAStopToo) {
  const auto plan =
      plan_of(own("slow"), {.threads = 1}, {.npartitions = 4000, .n_samples = 4000, .observer = std::make_shared<StopAfter>()});
  EXPECT_THAT(support::refusal(Code::interrupted, [&] { plan.run({{"microseconds", 1000}}); }), HasSubstr("stopped"));
}

TEST(Runtime, OneBoundPlanIsLaunchedByOneThreadAtATime) {
  auto bound = plan_of(own("slow"), {.threads = 1}, {.n_samples = 200}).bind({{"microseconds", 1000}});
  std::thread other([&bound] { bound.launch(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_THAT(support::refusal(Code::argument, [&bound] { bound.launch(); }), HasSubstr("launch() while another call"));
  EXPECT_THAT(support::refusal(Code::argument, [&bound] { bound.rebind("microseconds", 1); }),
              HasSubstr("rebind() while another"));
  EXPECT_THAT(support::refusal(Code::argument, [&bound] { (void)bound.outputs(); }), HasSubstr("outputs() while another"));
  other.join();
  EXPECT_NO_THROW(bound.launch());
}

std::vector<std::string> labels;

TEST(Runtime, KokkosToolsSeeLabels) {
  namespace Tools = Kokkos::Tools::Experimental;
  std::vector<double> x(1 << 18, 1.0);
  const eagle::Values values = {{"x", eagle::view(x)}, {"a", 1.0}, {"b", 1.0}};
  plan_of(support::bundle("axpy"), {.threads = 2}).run(values);
  labels.clear();
  Tools::set_begin_parallel_for_callback([](const char* label, std::uint32_t, std::uint64_t*) { labels.emplace_back(label); });
  Tools::set_begin_fence_callback([](const char* label, std::uint32_t, std::uint64_t*) { labels.emplace_back(label); });
  Tools::set_push_region_callback([](const char* label) { labels.emplace_back(label); });
  plan_of(support::bundle("axpy"), {.threads = 2}).run(values);
  plan_of(support::bundle("axpy"), {.threads = 1}).run(values);
  Tools::set_begin_parallel_for_callback(nullptr);
  Tools::set_begin_fence_callback(nullptr);
  Tools::set_push_region_callback(nullptr);
  int kernels = 0;
  for (const std::string& label : labels) {
    if (label.starts_with("Kokkos::")) continue;  // Kokkos' own fences around tools and memory
    EXPECT_THAT(label, testing::StartsWith("eagle::HostTeam::"));
    ++kernels;
  }
  EXPECT_GE(kernels, 3);
}

TEST(Runtime, TheCallersFloatingPointModeStaysOutAndComesBack) {
  std::vector<double> x(10000, 0x1p-1074), y(x.size());
  const eagle::Values values = {{"x", eagle::view(x)}, {"y", eagle::view(y)}, {"a", 1.0}, {"b", 0.0}};
  for (const int threads : {1, 2}) {
    const auto plan = plan_of(support::bundle("axpy"), {.threads = threads});
    std::fesetround(FE_UPWARD);
#if defined(__x86_64__)
    const unsigned before = _mm_getcsr() | 0x8040;  // FTZ and DAZ
    _mm_setcsr(before);
#endif
    plan.run(values);
#if defined(__x86_64__)
#if defined(__clang__)
    EXPECT_EQ(_mm_getcsr() & ~0x3fU, before & ~0x3fU);  // what Clang makes of eagle may raise flags
#else
    EXPECT_EQ(_mm_getcsr(), before);
#endif
    _mm_setcsr(before & ~0x8040U);
#endif
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(y, x);
    std::fill(y.begin(), y.end(), 0.0);
  }
}

TEST(Runtime, ArgumentsMayHaveAnyName) {
  std::vector<double> self = {1, 2}, layout = {3, 4};
  const auto result =
      plan_of(own("names"), {}).run({{"self", eagle::view(self)}, {"layout", eagle::view(layout)}, {"partitions", 5.0}});
  const auto* structure = static_cast<const double*>(result.array("structure").data);
  EXPECT_EQ(structure[0], 531);
  EXPECT_EQ(structure[1], 542);
}

TEST(Runtime, AnArtifactOfTheFirstAbiRunsWholeView) {
  const std::vector<double> x = support::uniforms(5000, 3);
  const auto result = plan_of(own("v1_scale"), {.threads = 2}).run({{"x", eagle::view(x)}, {"factor", 3.0}});
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(static_cast<const double*>(result.array("y").data)[i], 3 * x[i]);
  EXPECT_THAT(support::refusal(Code::placement, [] { plan_of(own("v1_scale"), {}, {.npartitions = 2}); }),
              HasSubstr("one whole view only"));
}

TEST(Runtime, AnArtifactOfTheFirstAbiCountsInInt32) {
  const double x = 1;
  const std::int64_t n = std::int64_t{1} << 31;
  EXPECT_THAT(
      support::refusal(
          Code::limit,
          [&] {
            plan_of(own("v1_scale"), {}).run({{"x", eagle::view(&x, eagle::DType::float64, {n}, {0})}, {"factor", 3.0}});
          }),
      HasSubstr("2147483648 samples are more than an aether-abi/1 entry can count"));
}

TEST(Runtime, PlanesOfEveryIntegerTypeAndTables) {
  const std::vector<std::int32_t> a = {-1, 2}, wide = {5};
  const std::vector<std::uint32_t> b = {4000000000U, 1};
  const std::vector<std::uint64_t> c = {1ULL << 40, 3};
  const std::vector<float> table = {0.5F, 0.25F};
  const auto plan = plan_of(own("kinds"), {.threads = 2}, {.npartitions = 2});
  const auto result = plan.run({{"a", eagle::view(a)},
                                {"b", eagle::view(b)},
                                {"c", eagle::view(c)},
                                {"table", eagle::view(table)},
                                {"wide", eagle::view(wide)}});
  const auto* y = static_cast<const double*>(result.array("y").data);
  EXPECT_EQ(y[0], -1 + 4000000000.0 + 0x1p40 + 0.5 + 5);
  EXPECT_EQ(y[1], 2 + 1 + 3 + 0.25 + 5);
  const std::vector<std::int64_t> signed_b = {1, 2};
  EXPECT_THAT(support::refusal(Code::type,
                               [&] {
                                 plan.run({{"a", eagle::view(a)},
                                           {"b", eagle::view(signed_b)},
                                           {"c", eagle::view(c)},
                                           {"table", eagle::view(table)},
                                           {"wide", eagle::view(wide)}});
                               }),
              HasSubstr("argument 'b' is int64, and uint32 is due"));
}

TEST(Runtime, KokkosViewsOfAnyLayout) {
  double number = 0;
  plan_of(support::bundle("axpy"), {})
      .run({{"x", eagle::view(&number, eagle::DType::float64, {1})}, {"a", 1.0}, {"b", 1.0}});  // starts Kokkos
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> p("p", 3, 7);
  Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> v("v", 7, 3);
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 7; ++i) p(c, i) = c, v(i, c) = i;
  const auto result = plan_of(support::bundle("drift3"), {}).run({{"p", eagle::view(p)}, {"v", eagle::view(v)}, {"dt", 10.0}});
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 7; ++i) EXPECT_EQ(static_cast<const double*>(result.array("q").data)[c * 7 + i], c + 10 * i);
  const Kokkos::View<const double*, Kokkos::HostSpace> fixed;
  EXPECT_TRUE(eagle::view(fixed).read_only);
}

}  // namespace
