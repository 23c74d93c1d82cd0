// SPDX-License-Identifier: Apache-2.0
// Maps on a team against loops with the body inlined, against the bare entry, and bodies of uneven cost.
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "baselines.hpp"
#include "benchmarks.hpp"
#include "check.hpp"
#include "direct.hpp"

namespace bench {
namespace {

/// y = f(x, a, b).
template <class T>
struct Map {
  Map(const Team& team, std::int64_t n, const std::string& plugin, T b)
      : planes(Planes::of(n)), args{n, 2, planes.filled<T>(0, centred_17), b, planes.scratch<T>(1)} {
    const eagle::Values values = {{"x", plane(args.x, n)}, {"y", plane(args.y, n)}, {"a", args.a}, {"b", b}};
    bound.emplace(team.plan(built_for<T>(plugin)).bind(values));
  }
  /// `passes` over a plane are what must be moved.
  template <class Baseline>
  void against(benchmark::State& state, const Team& team, int passes, const Baseline& baseline) {
    const auto ours = [this] { bound->launch(); };
    require_same_output<T>(args.y, planes.scratch<T>(2), args.n, centred_13, ours, baseline);
    compare(state, team, passes * args.n * static_cast<std::int64_t>(sizeof(T)), ours, baseline);
  }
  Planes& planes;
  MapArguments<T> args;
  std::optional<eagle::BoundPlan> bound;
};

template <class T>
void add_map(const std::string& plugin, const std::string& baseline, T b, int passes,
             void (*loop)(const Team&, const MapArguments<T>&)) {
  add(name_of<T>("map_" + plugin, baseline), usual_shapes(), [=](benchmark::State& state, const Shape& shape) {
    const Team team(shape.threads);
    Map<T> map(team, shape.n, plugin, b);
    map.against(state, team, passes, [&] { loop(team, map.args); });
  });
}

template <class T>
void add_maps_of() {
  add_map<T>("axpy", "openmp", -1.5, 2, openmp_axpy<T>);
  add_map<T>("axpy", "kokkos_for", -1.5, 2, kokkos_axpy<T>);
  add_map<T>("axpy", "stream", 0, 2, stream_scale<T>);
  if constexpr (has_kokkos_blas) add_map<T>("axpby", "kokkos_blas", 0.5, 3, blas_axpby<T>);
}

/// Sizes about the one from which a team pays, against one call of the entry.
void small_map(benchmark::State& state, const Shape& shape) {
  const Team team(shape.threads);
  Map<double> map(team, shape.n, "axpy", -1.5);
  const eagle::Plugin axpy = built_for<double>("axpy");
  DirectAxpy direct(axpy, map.args);
  map.against(state, team, 2, [&] { direct(); });
}

/// Newton's square root takes up to a hundred times as many steps for large x: x grows over the range, so that equal shares
/// are unequal work.
void uneven_map(benchmark::State& state, const Shape& shape) {
  const Team team(shape.threads);
  const auto n = static_cast<std::size_t>(shape.n);
  std::vector<double> x(n), root(n), spare(n);
  std::vector<std::int64_t> steps(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = std::exp(200.0 * static_cast<double>(i) / static_cast<double>(n));
  const eagle::Plugin newton = built_for<double>("newton");
  ScalarHandle boxes[] = {box_of(root.data(), shape.n), box_of(steps.data(), shape.n), box_of(x.data(), shape.n)};
  void* params[] = {&boxes[0], &boxes[1], &boxes[2]};
  auto bound =
      eagle::plan(newton, {.structure = eagle::host_team({.threads = shape.threads, .schedule = eagle::Schedule::dynamic})})
          .bind({{"x", eagle::view(x)}, {"root", eagle::view(root)}, {"steps", eagle::view(steps)}});
  const auto ours = [&] { bound.launch(); };
  const auto baseline = [&, entry = entry_of(newton)] {
    constexpr std::int64_t tile = 1024;
#pragma omp parallel for schedule(dynamic) num_threads(shape.threads)
    for (std::int64_t k = 0; k < shape.n / tile; ++k) entry(params, k * tile, tile, shape.n);
  };
  require_same_output<double>(root.data(), spare.data(), shape.n, centred_13, ours, baseline);
  compare(state, team, 3 * 8 * shape.n, ours, baseline);
}

}  // namespace

void add_maps() {
  add_maps_of<double>();
  add_maps_of<float>();
  add(name_of<double>("map_axpy", "direct_call"), shapes({1000, 4096, 10000, 30000}, teams()), small_map);
  add(name_of<double>("map_newton_dynamic", "openmp_dynamic"), shapes({1 << 18}, teams()), uneven_map);
}

}  // namespace bench
