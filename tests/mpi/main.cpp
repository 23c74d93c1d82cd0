// SPDX-License-Identifier: Apache-2.0
// GoogleTest on ranks: every rank runs every test, rank 0 talks, others only of what fails. The first line names the MPI
// library, the last is "ranks: ok" where no rank has a failure: exit codes of mpiexec are not to be trusted.
#include <Kokkos_Core.hpp>
#include <cstdio>

#include <gtest/gtest.h>
#include <mpi.h>

#include "rank_partition/world.hpp"

int main(int argc, char** argv) {
  int level = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("ranks: on %s\n", eagle::detail::library_text().c_str());
  testing::InitGoogleTest(&argc, argv);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) delete listeners.Release(listeners.default_result_printer());
  int failed = 0;
  {
    Kokkos::ScopeGuard kokkos(Kokkos::InitializationSettings().set_disable_warnings(true));
    failed = RUN_ALL_TESTS();
  }
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0 && failed == 0) std::puts("ranks: ok");
  MPI_Finalize();
  return failed;
}
