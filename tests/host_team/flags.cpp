// SPDX-License-Identifier: Apache-2.0
// Compiled with several optimisation levels and flags: how values combine must not change. Every functor here gives the same
// samples under any of them (it loads, or multiplies once), and the sums are ones that a reordered or fused addition changes.
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <eagle/kokkos.hpp>

#include "samples.hpp"

int main() {
  Kokkos::ScopeGuard guard(Kokkos::InitializationSettings().set_disable_warnings(true));
  constexpr std::int64_t n = 30011;
  const auto values = samples::generate<double>("uniform", 1, n);
  std::vector<double> x(n), factor(n, 1 + 0x1p-27), pairs(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = (values[i] - 0.5) * (i % 3 == 0 ? 1e12 : 1);
    pairs[i] = i / 64 % 2 == 0 ? -(1 + 0x1p-26) : 0;
  }
  const double *p = x.data(), *a = factor.data(), *b = pairs.data();
  for (const int threads : {1, 3}) {
    const Kokkos::OpenMP space(threads);
    // Products that an FMA would not round meet their negative rounded value in one lane.
    const auto product = [=](std::int64_t i) { return i / 64 % 2 == 0 ? b[i] : a[i] * a[i]; };
    Kokkos::View<double*, Kokkos::HostSpace> tiny("tiny", 2);
    std::uint64_t bits[] = {3, 4};  // 3 and 4 units of the least subnormal; loaded as bits, whatever the mode
    std::memcpy(tiny.data(), bits, sizeof bits);
    const double norm = eagle::nrm2(space, tiny);
    std::memcpy(bits, &norm, sizeof norm);
    std::printf("%d units, %a %a %a %a %a\n", static_cast<int>(bits[0]),
                eagle::mapreduce<eagle::Sum>(space, n, [=](std::int64_t i) { return p[i]; }),
                eagle::mapreduce<eagle::Sum>(
                    space, n, [=](std::int64_t i) { return p[i]; }, eagle::Precision::compensated),
                eagle::mapreduce<eagle::Sum>(space, 29952, product),
                eagle::mapreduce<eagle::Max>(space, n, [=](std::int64_t i) { return p[i]; }),
                eagle::mapreduce<eagle::Times>(space, n, [=](std::int64_t i) { return 1 + p[i] * 0x1p-60; }));
  }
}
