// SPDX-License-Identifier: Apache-2.0
// The canonical reduction against Kokkos::parallel_reduce and OpenMP's reduction, which give other bits on other teams.
#include <cmath>
#include <string>
#include <vector>

#include <eagle/eagle.hpp>
#include <eagle/kokkos.hpp>

#include "compare.hpp"

namespace bench {
double openmp_root_dot_generic(const double* x, const double* y, std::int64_t n, int threads);
double openmp_root_dot_native(const double* x, const double* y, std::int64_t n, int threads);
}  // namespace bench

namespace {

void start_kokkos() {
  if (Kokkos::is_initialized()) return;
  Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
  std::atexit(Kokkos::finalize);
}

/// Two vectors of n elements and a team.
template <class T>
struct Data {
  explicit Data(benchmark::State& state) : n(state.range(0)), space((start_kokkos(), static_cast<int>(state.range(1)))) {
    x = Kokkos::View<T*>(Kokkos::view_alloc(std::string("x"), Kokkos::WithoutInitializing), static_cast<std::size_t>(n));
    y = Kokkos::View<T*>(Kokkos::view_alloc(std::string("y"), Kokkos::WithoutInitializing), static_cast<std::size_t>(n));
    const auto a = x, b = y;
    Kokkos::parallel_for(
        Kokkos::RangePolicy<Kokkos::OpenMP>(space, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
          a(i) = T(1) / static_cast<T>(i % 1000 + 1);
          b(i) = T(2) - a(i);
        });
    space.fence();
  }
  template <class F>
  auto kokkos_sum(const F& f) const {
    T total{};
    Kokkos::parallel_reduce(
        Kokkos::RangePolicy<Kokkos::OpenMP, Kokkos::IndexType<std::int64_t>>(space, 0, n),
        KOKKOS_LAMBDA(std::int64_t i, T& part) { part += f(i); }, total);
    return total;
  }
  std::int64_t n;
  Kokkos::OpenMP space;
  Kokkos::View<T*> x, y;
};

template <class T>
void sum_against_parallel_reduce(benchmark::State& state) {
  Data<T> d(state);
  const auto x = d.x;
  bench::compare(
      state, [&] { benchmark::DoNotOptimize(eagle::sum(d.space, x)); },
      [&] { benchmark::DoNotOptimize(d.kokkos_sum([x](std::int64_t i) { return x(i); })); });
}

template <class T>
void mapreduce_against_parallel_reduce(benchmark::State& state) {
  Data<T> d(state);
  const auto x = d.x;
  const auto f = [x](std::int64_t i) { return x(i); };
  bench::compare(
      state, [&] { benchmark::DoNotOptimize(eagle::mapreduce<eagle::Sum>(d.space, d.n, f)); },
      [&] { benchmark::DoNotOptimize(d.kokkos_sum(f)); });
}

template <class T>
void dot_against_parallel_reduce(benchmark::State& state) {
  Data<T> d(state);
  const auto x = d.x, y = d.y;
  bench::compare(
      state, [&] { benchmark::DoNotOptimize(eagle::dot(d.space, x, y)); },
      [&] { benchmark::DoNotOptimize(d.kokkos_sum([x, y](std::int64_t i) { return x(i) * y(i); })); });
}

template <class T>
void max_against_sum(benchmark::State& state) {
  Data<T> d(state);
  bench::compare(
      state, [&] { benchmark::DoNotOptimize(eagle::max(d.space, d.x)); },
      [&] { benchmark::DoNotOptimize(eagle::sum(d.space, d.x)); });
}

template <class T>
void compensated_against_plain(benchmark::State& state) {
  Data<T> d(state);
  bench::compare(
      state, [&] { benchmark::DoNotOptimize(eagle::sum(d.space, d.x, eagle::Precision::compensated)); },
      [&] { benchmark::DoNotOptimize(eagle::sum(d.space, d.x)); });
}

// Bytes in all: 1 GiB, and what 2^20 samples take.
#define EAGLE_BENCH(name, T, large)             \
  BENCHMARK_TEMPLATE(name, T)                   \
      ->ArgsProduct({{1 << 20, large}, {1, 2}}) \
      ->ArgNames({"n", "threads"})              \
      ->UseManualTime()                         \
      ->Iterations(21)                          \
      ->Unit(benchmark::kMicrosecond)
EAGLE_BENCH(sum_against_parallel_reduce, double, 1 << 27);
EAGLE_BENCH(sum_against_parallel_reduce, float, 1 << 28);
EAGLE_BENCH(mapreduce_against_parallel_reduce, double, 1 << 27);
EAGLE_BENCH(dot_against_parallel_reduce, double, 1 << 26);
EAGLE_BENCH(dot_against_parallel_reduce, float, 1 << 27);
EAGLE_BENCH(max_against_sum, double, 1 << 27);
EAGLE_BENCH(max_against_sum, float, 1 << 28);
EAGLE_BENCH(compensated_against_plain, double, 1 << 27);
EAGLE_BENCH(compensated_against_plain, float, 1 << 28);

/// A plugin's mapreduce of sqrt(x) * y, through its ABI entry, compiled for a generic CPU or for this one.
struct RootDot {
  explicit RootDot(benchmark::State& state)
      : native(state.range(2) != 0),
        n(state.range(0)),
        threads(static_cast<int>(state.range(1))),
        x(static_cast<std::size_t>(n), 2.0),
        y(x.size(), 0.5) {}
  eagle::BoundPlan bind(std::optional<bool> combine, std::vector<double>* partials) {
    eagle::Values values = {{"x", eagle::view(x)}, {"y", eagle::view(y)}};
    if (partials != nullptr) values.emplace("total", eagle::view(*partials));
    return eagle::plan(root_dot, {.structure = eagle::host_team({.threads = threads}), .combine = combine}).bind(values);
  }
  bool native;
  std::int64_t n;
  int threads;
  std::vector<double> x, y;
  eagle::Plugin root_dot =
      eagle::load(std::string(EAGLE_BENCH_BUNDLES) + (native ? "/root_dot_native" : "/root_dot_generic")).only();
};

void fused_against_plane_and_fold(benchmark::State& state) {
  start_kokkos();
  RootDot d(state);
  std::vector<double> partials(d.x.size());
  auto fused = d.bind({}, nullptr), plane = d.bind(false, &partials);
  const Kokkos::OpenMP space(d.threads);
  const Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> view(partials.data(), partials.size());
  bench::compare(
      state, [&] { fused.launch(); },
      [&] {
        plane.launch();
        benchmark::DoNotOptimize(eagle::sum(space, view));
      });
}

void fused_against_openmp_reduction(benchmark::State& state) {
  RootDot d(state);
  auto fused = d.bind({}, nullptr);
  const auto inlined = d.native ? bench::openmp_root_dot_native : bench::openmp_root_dot_generic;
  bench::compare(
      state, [&] { fused.launch(); }, [&] { benchmark::DoNotOptimize(inlined(d.x.data(), d.y.data(), d.n, d.threads)); });
}

#define EAGLE_BENCH_FUSED(name)                           \
  BENCHMARK(name)                                         \
      ->ArgsProduct({{1 << 20, 1 << 26}, {1, 2}, {0, 1}}) \
      ->ArgNames({"n", "threads", "native"})              \
      ->UseManualTime()                                   \
      ->Iterations(21)                                    \
      ->Unit(benchmark::kMicrosecond)
EAGLE_BENCH_FUSED(fused_against_plane_and_fold);
EAGLE_BENCH_FUSED(fused_against_openmp_reduction);

}  // namespace
