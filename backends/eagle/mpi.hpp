// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <utility>

#include <eagle/structures.hpp>

namespace eagle {
namespace detail {
StructurePtr rank_partition_of(MPI_Comm comm, StructurePtr inner, bool gather);
}  // namespace detail

/// The ranks of a communicator, each driving its contiguous part of every partition through an inner structure (absent:
/// host_team). eagle talks on a duplicate, which is made once a communicator and lives as long as it; making it is collective.
/// MPI must run. Every plan(), bind(), run() and launch() is then collective, from one thread at a time: what one rank
/// refuses, all refuse, naming the first that did. Inputs are replicated; every output is whole on every rank, with the bits
/// of one process, or with gather=false each rank has written its own samples only. A mapreduce is folded all the same.
inline StructurePtr rank_partition(MPI_Comm comm, StructurePtr inner = nullptr, bool gather = true) {
  return detail::rank_partition_of(comm, inner ? std::move(inner) : host_team(), gather);
}

}  // namespace eagle
