// SPDX-License-Identifier: Apache-2.0
// What comes before and around the body: a bundle taken in from a warm page cache, and the calls of few samples.
#include <filesystem>
#include <string>
#include <vector>

#include "benchmarks.hpp"
#include "check.hpp"
#include "direct.hpp"

namespace bench {
namespace {

constexpr std::int64_t few = 64;

/// y = 2 x - 1.5 on few samples and one thread.
struct Few {
  std::vector<double> x = std::vector<double>(few, 1.0), y = std::vector<double>(few), spare = std::vector<double>(few);
  MapArguments<double> args{few, 2, x.data(), -1.5, y.data()};
  eagle::Values values = {{"x", eagle::view(x)}, {"y", eagle::view(y)}, {"a", args.a}, {"b", args.b}};
  Team team{1};
  eagle::Plugin axpy = built_for<double>("axpy");
  eagle::Plan plan = team.plan(axpy);
  eagle::BoundPlan bound = plan.bind(values);
  DirectAxpy direct{axpy, args};
};

template <class F>
void add_bundle(const std::string& what, F take) {
  add({what}, {{0, 1}}, [=](benchmark::State& state, const Shape&) {
    const std::string bundle = std::string(EAGLE_BUNDLES) + "/axpy";
    time_alone(state, Team(1), [&] { benchmark::DoNotOptimize(take(bundle)); });
  });
}

template <class F>
void add_alone(const std::string& what, F call) {
  add(name_of<double>(what, "-"), {{few, 1}}, [=](benchmark::State& state, const Shape&) {
    Few data;
    time_alone(state, data.team, [&] { call(data); });
  });
}

template <class F>
void add_against_direct_call(const std::string& what, F call) {
  add(name_of<double>(what, "direct_call"), {{few, 1}}, [=](benchmark::State& state, const Shape&) {
    Few data;
    const auto ours = [&] { call(data); };
    const auto baseline = [&] { data.direct(); };
    require_same_output<double>(data.y.data(), data.spare.data(), few, centred_13, ours, baseline);
    compare(state, data.team, 2 * 8 * few, ours, baseline);
  });
}

}  // namespace

void add_overheads() {
  add_bundle("check_bundle", [](const std::string& bundle) { return eagle::check(bundle); });
  add_bundle("load_bundle", [](const std::string& bundle) { return eagle::load(bundle); });
  add_bundle("load_and_open_bundle", [](const std::string& bundle) { return eagle::load(bundle).only().host_entry(); });
  add_alone("plan", [](Few& data) { benchmark::DoNotOptimize(data.team.plan(data.axpy)); });
  add_alone("bind", [](Few& data) { benchmark::DoNotOptimize(data.plan.bind(data.values)); });
  add_alone("rebind", [](Few& data) { data.bound.rebind("x", data.values.at("x")); });
  add_against_direct_call("launch", [](Few& data) { data.bound.launch(); });
  add_against_direct_call("run", [](Few& data) { data.plan.run(data.values); });
}

}  // namespace bench
