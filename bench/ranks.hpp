// SPDX-License-Identifier: Apache-2.0
// The ranks of a launcher, as a crew that agrees on every time and decision.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <exception>
#include <stdexcept>

#include "benchmarks.hpp"
#include "compare.hpp"

namespace bench {

/// Aborts the run, saying what failed, unless `code` is MPI_SUCCESS: the others wait in calls that this rank will not make.
inline void must(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::fprintf(stderr, "eagle_ranks_bench: %s failed: %s\n", what, text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

class Ranks final : public Crew {
 public:
  /// MPI runs.
  Ranks() {
    must(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    must(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    must(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  }
  void meet() const override { must(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier"); }
  [[nodiscard]] double largest(double mine) const override {
    must(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
    return mine;
  }
  /// Where one rank throws, every rank throws.
  template <class F>
  void agree(F&& f) const {
    std::exception_ptr mine;
    double refused = 0;
    try {
      f();
    } catch (const Unavailable&) {
      mine = std::current_exception();
      refused = 1;
    } catch (...) {
      mine = std::current_exception();
      refused = 2;
    }
    const double worst = largest(refused);
    if (mine) std::rethrow_exception(mine);
    if (worst == 1) throw Unavailable("another rank has too little memory");
    if (worst == 2) throw std::runtime_error("another rank has failed");
  }

  int rank = 0, size = 1;
};

}  // namespace bench
