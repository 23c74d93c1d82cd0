// The sum of 1 to n, which doubles hold exactly, over ranks; each with a team of its own.
#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <cstdio>

#include <eagle/mpi_mapreduce.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bool right = false;
  {
    const Kokkos::ScopeGuard guard(argc, argv);
    constexpr std::int64_t n = 100000;
    const double sum = eagle::mapreduce<eagle::Sum>(
        MPI_COMM_WORLD, Kokkos::OpenMP(), {0, n}, KOKKOS_LAMBDA(std::int64_t i) { return static_cast<double>(i + 1); });
    right = sum == 0.5 * n * (n + 1);
  }
  if (right && rank == 0) std::puts("ranks: ok");
  MPI_Finalize();
  return right ? 0 : 1;
}
