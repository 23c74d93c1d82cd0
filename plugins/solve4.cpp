// SPDX-License-Identifier: Apache-2.0
// sample_local, a library's kernel a sample: x of a x = b, by Kokkos Kernels' LU with partial pivoting. A singular sample is
// NaN.
#include <KokkosBatched_Getrf.hpp>
#include <KokkosBatched_Getrs.hpp>
#include <limits>

#include <eagle/body.hpp>

// Views of the stack of one sample: nothing is allocated, and Kokkos need not run.
template <class Data>
using Local = Kokkos::View<Data, Kokkos::LayoutRight, Kokkos::AnonymousSpace, Kokkos::MemoryUnmanaged>;

EAGLE_PLUGIN(solve4, (eagle::Plane<double[4]>, x), (eagle::Plane<const double[4]>, b), (eagle::Plane<const double[4][4]>, a)) {
  double lu[16], solution[4];
  int pivots[4];
  for (int k = 0; k < 16; ++k) lu[k] = a(k, i);
  for (int r = 0; r < 4; ++r) solution[r] = b(r, i);

  using namespace KokkosBatched;
  const Local<double[4][4]> matrix(lu);
  const Local<int[4]> rows(pivots);
  const bool singular = SerialGetrf<Algo::Getrf::Unblocked>::invoke(matrix, rows) != 0;
  if (!singular) SerialGetrs<Trans::NoTranspose, Algo::Getrs::Unblocked>::invoke(matrix, rows, Local<double[4]>(solution));
  for (int r = 0; r < 4; ++r) x(r, i) = singular ? std::numeric_limits<double>::quiet_NaN() : solution[r];
}
