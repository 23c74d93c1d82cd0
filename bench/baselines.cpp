// SPDX-License-Identifier: Apache-2.0
#include "baselines.hpp"

#include <vector>

// What loops use are locals, of which the compiler sees that no store changes them.
namespace bench {
namespace {

using Policy = Kokkos::RangePolicy<Kokkos::OpenMP, Kokkos::IndexType<std::int64_t>>;

template <class T, class F>
T kokkos_reduce(const Team& team, std::int64_t n, const F& f) {
  T total{};
  Kokkos::parallel_reduce(Policy(team.space, 0, n), KOKKOS_LAMBDA(std::int64_t i, T& part) { part += f(i); }, total);
  return total;
}

/// The plugin's formula.
template <class T>
std::size_t bin_of(T x, T lo, T hi, std::int64_t count) {
  const T t = (x - lo) / (hi - lo) * static_cast<T>(count);
  return static_cast<std::size_t>(t < static_cast<T>(count) ? static_cast<std::int64_t>(t > 0 ? t : 0) : count - 1);
}

}  // namespace

template <class T>
void openmp_axpy(const Team& team, const MapArguments<T>& args) {
  const std::int64_t n = args.n;
  const T a = args.a, b = args.b, *const x = args.x;
  T* const y = args.y;
#pragma omp parallel for num_threads(team.threads)
  for (std::int64_t i = 0; i < n; ++i) y[i] = a * x[i] + b;
}

template <class T>
void kokkos_axpy(const Team& team, const MapArguments<T>& args) {
  const std::int64_t n = args.n;
  const T a = args.a, b = args.b, *const x = args.x;
  T* const y = args.y;
  Kokkos::parallel_for(Policy(team.space, 0, n), KOKKOS_LAMBDA(std::int64_t i) { y[i] = a * x[i] + b; });
  team.space.fence();
}

template <class T>
void stream_scale(const Team& team, const MapArguments<T>& args) {
  const std::int64_t n = args.n;
  const T a = args.a, *const x = args.x;
  T* const y = args.y;
#pragma omp parallel for simd num_threads(team.threads)
  for (std::int64_t i = 0; i < n; ++i) y[i] = a * x[i];
}

template <class T>
T openmp_dot(const Team& team, const FoldArguments<T>& args) {
  const std::int64_t n = args.n;
  const T *const x = args.x, *const y = args.y;
  T total = 0;
#pragma omp parallel for simd reduction(+ : total) num_threads(team.threads)
  for (std::int64_t i = 0; i < n; ++i) total += x[i] * y[i];
  return total;
}

template <class T>
T kokkos_dot(const Team& team, const FoldArguments<T>& args) {
  const auto x = args.x_view(), y = args.y_view();
  return kokkos_reduce<T>(team, args.n, [x, y](std::int64_t i) { return x(i) * y(i); });
}

template <class T>
T kokkos_sum(const Team& team, const FoldArguments<T>& args) {
  const auto x = args.x_view();
  return kokkos_reduce<T>(team, args.n, [x](std::int64_t i) { return x(i); });
}

template <class T>
void serial_histogram(const Team&, const HistogramArguments<T>& args) {
  const std::int64_t n = args.n, count = args.count;
  const T lo = args.lo, hi = args.hi, *const x = args.x;
  T* const bins = args.bins;
  for (std::int64_t i = 0; i < n; ++i) bins[bin_of(x[i], lo, hi, count)] += 1;
}

template <class T>
void openmp_histogram(const Team& team, const HistogramArguments<T>& args) {
  const std::int64_t n = args.n, count = args.count;
  const T lo = args.lo, hi = args.hi, *const x = args.x;
  T* const bins = args.bins;
#pragma omp parallel num_threads(team.threads)
  {
    std::vector<T> own(static_cast<std::size_t>(count));
#pragma omp for nowait
    for (std::int64_t i = 0; i < n; ++i) own[bin_of(x[i], lo, hi, count)] += 1;
#pragma omp critical
    for (std::size_t k = 0; k < own.size(); ++k) bins[k] += own[k];
  }
}

template <class T>
void openmp_gather(const Team& team, const GatherArguments<T>& args) {
  const std::int64_t n = args.n, *const k = args.k;
  const T* const table = args.table;
  T* const y = args.y;
#pragma omp parallel for num_threads(team.threads)
  for (std::int64_t i = 0; i < n; ++i) y[i] = table[k[i]];
}

#define EAGLE_BASELINES(T)                                                   \
  template void openmp_axpy(const Team&, const MapArguments<T>&);            \
  template void kokkos_axpy(const Team&, const MapArguments<T>&);            \
  template void stream_scale(const Team&, const MapArguments<T>&);           \
  template T openmp_dot(const Team&, const FoldArguments<T>&);               \
  template T kokkos_dot(const Team&, const FoldArguments<T>&);               \
  template T kokkos_sum(const Team&, const FoldArguments<T>&);               \
  template void serial_histogram(const Team&, const HistogramArguments<T>&); \
  template void openmp_histogram(const Team&, const HistogramArguments<T>&); \
  template void openmp_gather(const Team&, const GatherArguments<T>&);
EAGLE_BASELINES(double)
EAGLE_BASELINES(float)

}  // namespace bench
