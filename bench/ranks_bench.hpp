// SPDX-License-Identifier: Apache-2.0
// What the benchmarks of eagle_ranks_bench share.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include <eagle/eagle.hpp>
#include <eagle/mpi.hpp>

#include "ranks.hpp"
#include "team.hpp"

namespace bench {

template <class T>
MPI_Datatype mpi_type() {
  return std::is_same_v<T, float> ? MPI_FLOAT : MPI_DOUBLE;
}

/// A rank's samples of a whole.
inline eagle::Partition part_of_rank(const Ranks& ranks, std::int64_t n, int rank) {
  return eagle::part_of(eagle::Partition::whole(n), ranks.size, rank);
}

/// A plugin on all ranks, each a team of one thread.
inline eagle::BoundPlan bind_on_ranks(const eagle::Plugin& plugin, const eagle::Values& values, bool gather = true) {
  const auto structure = eagle::rank_partition(MPI_COMM_WORLD, eagle::host_team({.threads = 1}), gather);
  return eagle::plan(plugin, {.structure = structure}).bind(values);
}

void add_rank_maps(const Ranks& ranks);
void add_rank_mapreduces(const Ranks& ranks);

}  // namespace bench
