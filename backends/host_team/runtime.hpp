// SPDX-License-Identifier: Apache-2.0
// Private to eagle::host: eagle's manners towards the process-wide Kokkos runtime.
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace eagle::detail {

/// What Kokkos::OpenMP can hold (its MAX_THREAD_COUNT); it writes beyond its pool above this.
constexpr int most_threads = 512;

/// Makes sure that a kernel can be launched from here. Starts Kokkos, quietly, if nobody has, and then ends it when the
/// process ends. Error(unavailable) where Kokkos would abort: after Kokkos::finalize, inside a parallel region, or in
/// a process forked after Kokkos was started.
void require_kokkos();

/// The same for templates that take the caller's execution space, which Kokkos must be running for already.
void require_running();

/// An execution space of a fixed number of threads, made at the first use and let go before Kokkos ends, so that a launch
/// makes nothing.
class TeamSpace : public std::enable_shared_from_this<TeamSpace> {
 public:
  explicit TeamSpace(int threads) : threads_(threads) {}
  Kokkos::OpenMP get();
  void reset();

 private:
  int threads_;
  std::mutex mutex_;
  std::optional<Kokkos::OpenMP> space_;
};

/// "Kokkos 5.2.2 with OpenMP, 2 threads". Starts nothing.
std::string kokkos_text();

}  // namespace eagle::detail
