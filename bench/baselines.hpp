// SPDX-License-Identifier: Apache-2.0
// What others would write in eagle's place: T is double or float.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "team.hpp"

namespace bench {

template <class T>
using Vector = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class T>
struct MapArguments {
  std::int64_t n;
  T a;
  const T* x;
  T b;
  T* y;
};
// y = a x + b, as OpenMP's loop and as Kokkos::parallel_for.
template <class T>
void openmp_axpy(const Team& team, const MapArguments<T>& args);
template <class T>
void kokkos_axpy(const Team& team, const MapArguments<T>& args);
/// y = a x, the `scale` of STREAM: the memory limit of a map that reads a plane and writes one. Its stores are the ordinary
/// ones that eagle's have too, which read a cache line before they write it. Non-temporal stores do not: they would save a
/// third of the traffic where planes exceed the caches, and lose where they do not.
template <class T>
void stream_scale(const Team& team, const MapArguments<T>& args);

template <class T>
struct FoldArguments {
  std::int64_t n;
  const T* x;
  const T* y;
  [[nodiscard]] Vector<const T> x_view() const { return Vector<const T>(x, static_cast<std::size_t>(n)); }
  [[nodiscard]] Vector<const T> y_view() const { return Vector<const T>(y, static_cast<std::size_t>(n)); }
};
// The sum of x y, as OpenMP's reduction and as Kokkos::parallel_reduce; the sum of x.
template <class T>
T openmp_dot(const Team& team, const FoldArguments<T>& args);
template <class T>
T kokkos_dot(const Team& team, const FoldArguments<T>& args);
template <class T>
T kokkos_sum(const Team& team, const FoldArguments<T>& args);
// The sum of x in as many lanes as this CPU can add in at once: the memory limit of what reads a plane.
template <class T>
T stream_sum_native(const T* x, std::int64_t n, int threads);
template <class T>
T stream_sum(const Team& team, const FoldArguments<T>& args) {
  return stream_sum_native(args.x, args.n, team.threads);
}
// The sum of sqrt(x) y, compiled for a generic CPU and for this one, as the plugins beside it.
double openmp_root_dot_generic(const double* x, const double* y, std::int64_t n, int threads);
double openmp_root_dot_native(const double* x, const double* y, std::int64_t n, int threads);

#ifdef EAGLE_BENCH_KOKKOS_BLAS
inline constexpr bool has_kokkos_blas = true;
#else
inline constexpr bool has_kokkos_blas = false;
#endif
// KokkosBlas, where it is there: y = a x + b y, the sum of x y (of float, carried in double), the norm of x.
template <class T>
void blas_axpby(const Team& team, const MapArguments<T>& args);
template <class T>
T blas_dot(const Team& team, const FoldArguments<T>& args);
template <class T>
T blas_nrm2(const Team& team, const FoldArguments<T>& args);

template <class T>
struct HistogramArguments {
  std::int64_t n;
  const T* x;
  T lo, hi;
  std::int64_t count;
  T* bins;
};
// Counts x in `count` equal bins of [lo, hi); with OpenMP in bins of each thread's own, which are then added up.
template <class T>
void serial_histogram(const Team& team, const HistogramArguments<T>& args);
template <class T>
void openmp_histogram(const Team& team, const HistogramArguments<T>& args);

/// y = table[k].
template <class T>
struct GatherArguments {
  std::int64_t n;
  const std::int64_t* k;
  const T* table;
  T* y;
};
template <class T>
void openmp_gather(const Team& team, const GatherArguments<T>& args);

}  // namespace bench
