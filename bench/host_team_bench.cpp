// SPDX-License-Identifier: Apache-2.0
// HostTeam against the same entry point called by hand: directly, or once a thread from a bare OpenMP region.
#include <cmath>
#include <string>
#include <vector>

#include <eagle/eagle.hpp>

#include "compare.hpp"

namespace {

eagle::Plugin plugin(const std::string& name) { return eagle::load(std::string(EAGLE_BUNDLES) + "/" + name).only(); }
eagle_host_entry_v2 entry_of(const eagle::Plugin& p) { return reinterpret_cast<eagle_host_entry_v2>(p.host_entry()); }

ScalarHandle handle(std::vector<double>& v) { return {v.data(), v.size(), 1, EAGLE_DEVICE_CPU, 0}; }

/// y = a * x + b with its arguments packed twice: by eagle, and by hand.
struct Axpy {
  std::vector<double> x, y;
  double a = 2.0, b = -1.5;
  ScalarHandle y_box, x_box;
  void* params[4];
  eagle::Plugin axpy = plugin("axpy");
  eagle_host_entry_v2 entry = entry_of(axpy);

  explicit Axpy(std::int64_t n)
      : x(static_cast<std::size_t>(n), 1.0),
        y(static_cast<std::size_t>(n)),
        y_box(handle(y)),
        x_box(handle(x)),
        params{&y_box, &x_box, &a, &b} {}

  eagle::BoundPlan bind(eagle::HostTeamOptions team) {
    return eagle::plan(axpy, {.structure = eagle::host_team(team)})
        .bind({{"x", eagle::view(x)}, {"y", eagle::view(y)}, {"a", a}, {"b", b}});
  }
  std::int64_t n() const { return static_cast<std::int64_t>(x.size()); }
};

void launch_of_64_samples(benchmark::State& state) {
  Axpy data(64);
  auto bound = data.bind({.threads = 1});
  bench::compare(state, [&] { bound.launch(); }, [&] { data.entry(data.params, 0, 64, 64); }, 1000);
}
BENCHMARK(launch_of_64_samples)->UseManualTime()->Iterations(501)->Unit(benchmark::kMicrosecond);

void map_against_openmp(benchmark::State& state) {
  Axpy data(state.range(0));
  const int threads = static_cast<int>(state.range(1));
  auto bound = data.bind({.threads = threads});
  const std::int64_t n = data.n();
  bench::compare(
      state, [&] { bound.launch(); },
      [&] {
#pragma omp parallel num_threads(threads)
        {
          const std::int64_t t = omp_get_thread_num();
          const std::int64_t begin = n * t / threads;
          data.entry(data.params, begin, n * (t + 1) / threads - begin, n);
        }
      });
}
BENCHMARK(map_against_openmp)
    ->ArgsProduct({{1000000, 10000000}, {1, 2}})
    ->ArgNames({"n", "threads"})
    ->UseManualTime()
    ->Iterations(101)
    ->Unit(benchmark::kMicrosecond);

void small_map_against_serial(benchmark::State& state) {
  Axpy data(state.range(0));
  const int threads = static_cast<int>(state.range(1));
  auto bound = data.bind({.threads = threads});
  const std::int64_t n = data.n();
  bench::compare(state, [&] { bound.launch(); }, [&] { data.entry(data.params, 0, n, n); }, 20);
}
BENCHMARK(small_map_against_serial)
    ->ArgsProduct({{1000, 4096, 10000, 30000}, {1, 2}})
    ->ArgNames({"n", "threads"})
    ->UseManualTime()
    ->Iterations(301)
    ->Unit(benchmark::kMicrosecond);

/// Newton's square root takes up to a hundred times as many steps for large x: x grows over the range, so that equal
/// shares are unequal work.
void uneven_against_openmp_dynamic(benchmark::State& state) {
  constexpr std::size_t n = 1 << 18;
  const int threads = static_cast<int>(state.range(0));
  const eagle::Plugin newton = plugin("newton");
  const auto entry = entry_of(newton);
  std::vector<double> x(n), root(n);
  std::vector<std::int64_t> steps(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = std::exp(200.0 * static_cast<double>(i) / n);
  ScalarHandle root_box = handle(root), x_box = handle(x);
  IntHandle steps_box = {steps.data(), n, 1, EAGLE_DEVICE_CPU, 0};
  void* params[] = {&root_box, &steps_box, &x_box};
  auto bound = eagle::plan(newton, {.structure = eagle::host_team({.threads = threads, .schedule = eagle::Schedule::dynamic})})
                   .bind({{"x", eagle::view(x)}, {"root", eagle::view(root)}, {"steps", eagle::view(steps)}});
  bench::compare(
      state, [&] { bound.launch(); },
      [&] {
        constexpr std::int64_t tile = 1024;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (std::int64_t k = 0; k < static_cast<std::int64_t>(n) / tile; ++k)
          entry(params, k * tile, tile, static_cast<std::int64_t>(n));
      });
}
BENCHMARK(uneven_against_openmp_dynamic)
    ->Arg(1)
    ->Arg(2)
    ->ArgName("threads")
    ->UseManualTime()
    ->Iterations(31)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
