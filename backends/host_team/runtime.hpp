// SPDX-License-Identifier: Apache-2.0
// Private to eagle::host: eagle's manners towards the process-wide Kokkos runtime.
#pragma once

#include <Kokkos_Core.hpp>
#include <string>

namespace eagle::detail {

/// What Kokkos::OpenMP can hold (its MAX_THREAD_COUNT); it writes beyond its pool above this.
constexpr int most_threads = 512;

/// While it lives, kernels can be launched from here. Starts Kokkos, quietly, if nobody has, and then ends it when the
/// process ends and nothing is launched. Error(unavailable) where Kokkos would abort: after Kokkos::finalize, inside a parallel
/// region, in a process forked after Kokkos was started, or in one that ends.
class Launch {
 public:
  Launch();
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

 private:
  struct Counted {
    Counted() noexcept;
    ~Counted();
  };
  Counted counted_;  // before anything is asked
};

/// Whether the process ends, so that launches have to stop.
bool is_ending() noexcept;

/// Whether Kokkos runs, for templates that take the caller's execution space. Errors as those of Launch.
void require_running();

/// An execution space of a fixed number of threads, 0 for Kokkos's own, borrowed for a launch. Those that nobody has are kept
/// for the next until Kokkos ends: to make one takes time, and to let one go is a fence of all others (Kokkos 5.2), that is a
/// wait for whatever else runs. Error(unavailable) where the system has no such threads.
class Team {
 public:
  explicit Team(int threads);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();
  [[nodiscard]] const Kokkos::OpenMP& space() const noexcept { return space_; }

 private:
  static Kokkos::OpenMP checked(int threads);
  int threads_;
  Kokkos::OpenMP space_;
};

/// "Kokkos 5.2.2 with OpenMP, 2 threads". Starts nothing.
std::string kokkos_text();

}  // namespace eagle::detail
