// SPDX-License-Identifier: Apache-2.0
#include "runtime.hpp"

#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <mutex>

#include <eagle/error.hpp>
#include <fmt/format.h>
#include <omp.h>

namespace eagle::detail {
namespace {

void end_kokkos() {
  if (Kokkos::is_initialized() && !Kokkos::is_finalized()) Kokkos::finalize();
}

void start_kokkos() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (Kokkos::is_initialized()) return;
  Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
  std::atexit(end_kokkos);
}

}  // namespace

void require_launch() {
  if (Kokkos::is_finalized())
    throw Error(Code::unavailable, "a team needs Kokkos, and Kokkos was finalized: run before Kokkos::finalize()");
  if (omp_in_parallel())
    throw Error(Code::unavailable, "no team can start inside an OpenMP parallel region: launch outside of it");
}

void require_kokkos() {
  require_launch();
  if (!Kokkos::is_initialized()) start_kokkos();
}

std::string kokkos_text() {
  return fmt::format("Kokkos {}.{}.{} with OpenMP, {} threads", KOKKOS_VERSION_MAJOR, KOKKOS_VERSION_MINOR,
                     KOKKOS_VERSION_PATCH, omp_get_max_threads());
}

}  // namespace eagle::detail
