// SPDX-License-Identifier: Apache-2.0
// What eagle adds to ranks: `mpiexec -n 2 eagle_ranks_bench`. A time is that of the slowest rank; all ranks agree on the turns.
#include "ranks.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <string>

#include "program.hpp"
#include "ranks_bench.hpp"

namespace {

/// The first line of what MPI says of itself.
std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  bench::must(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  std::string line(text, static_cast<std::size_t>(length));
  line.resize(std::min(line.find('\n'), line.size()));
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  bench::must(MPI_Init(&argc, &argv), "MPI_Init");
  int code = 0;
  {
    const Kokkos::ScopeGuard kokkos(Kokkos::InitializationSettings().set_disable_warnings(true));
    const bench::Ranks ranks;
    bench::add_rank_maps(ranks);
    bench::add_rank_mapreduces(ranks);
    bench::Facts facts = bench::facts();
    facts.emplace_back("mpi", mpi_version());
    code = bench::run(argc, argv, facts, ranks.rank == 0);
  }
  MPI_Finalize();
  return code;
}
