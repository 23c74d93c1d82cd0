// SPDX-License-Identifier: Apache-2.0
// The sum of one array on 1 to 4 threads: Kokkos::parallel_reduce beside the canonical reduction.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include <eagle/kokkos.hpp>

int main() {
  Kokkos::ScopeGuard guard(Kokkos::InitializationSettings().set_disable_warnings(true));
  constexpr std::int64_t n = 1000000;
  Kokkos::View<double*, Kokkos::HostSpace> x("x", n);
  for (std::int64_t i = 0; i < n; ++i) x(i) = 1e9 * std::cos(static_cast<double>(i));
  for (int threads = 1; threads <= 4; ++threads) {
    const Kokkos::OpenMP space(threads);
    double moving = 0;
    Kokkos::parallel_reduce(
        Kokkos::RangePolicy<Kokkos::OpenMP>(space, 0, n), KOKKOS_LAMBDA(std::int64_t i, double& sum) { sum += x(i); }, moving);
    std::printf("   threads %d: parallel_reduce %.17g, eagle::sum %.17g\n", threads, moving, eagle::sum(space, x));
  }
}
