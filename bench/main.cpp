// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Core.hpp>
#include <cstdlib>

#include <unistd.h>

#include "benchmarks.hpp"
#include "program.hpp"

/// Threads stay where they are: OpenMP reads OMP_PROC_BIND once, before main, so the program starts itself again with it.
static void bind_threads(char** argv) {
  if (std::getenv("OMP_PROC_BIND") != nullptr) return;
  setenv("OMP_PROC_BIND", "true", 1);
  execv("/proc/self/exe", argv);
}

int main(int argc, char** argv) {
  bind_threads(argv);
  bench::add_overheads();
  bench::add_maps();
  bench::add_mapreduces();
  bench::add_fused();
  bench::add_accesses();
  const Kokkos::ScopeGuard kokkos(Kokkos::InitializationSettings().set_disable_warnings(true));
  return bench::run(argc, argv, bench::facts());
}
