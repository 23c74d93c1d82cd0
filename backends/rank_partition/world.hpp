// SPDX-License-Identifier: Apache-2.0
// What the umbrella knows of eagle::mpi, without a word of MPI.
#pragma once

#include <string>

#include <eagle/structure.hpp>

namespace eagle::detail {

/// All ranks of a launcher, or this process alone.
StructurePtr rank_partition_of_world(StructurePtr inner, bool gather);
/// "MPICH Version: 4.2.1, MPI 4.1". Starts nothing.
std::string library_text();
/// Ranks, ranks on this node, thread level, whether device memory is taken. Empty without a launcher; starts MPI inside one.
std::string ranks_text();
/// Rank 0's place is to print and write; 0 outside a launcher. Starts MPI inside one.
int world_rank();

}  // namespace eagle::detail
