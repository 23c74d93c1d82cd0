// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <concepts>
#include <memory>
#include <utility>
#include <vector>

#include <eagle/structures.hpp>

namespace eagle {
namespace detail {
class Gatherer;
StructurePtr rank_partition_of(MPI_Comm comm, StructurePtr inner, bool gather);
StructurePtr device_group_of(MPI_Comm comm, StructurePtr inner, std::shared_ptr<const Gatherer> gatherer);
/// NCCL among ranks; null where this eagle has none.
std::shared_ptr<const Gatherer> nccl_gatherer();
}  // namespace detail

/// The ranks of a communicator, each driving its contiguous part of every partition through an inner structure (absent:
/// host_team). eagle talks on a duplicate, which is made once a communicator and lives as long as it; making it is collective.
/// MPI must run. Every plan(), bind(), run() and launch() is then collective, from one thread at a time: what one rank
/// refuses, all refuse, naming the first that did. Inputs are replicated; every output is whole on every rank, with the bits
/// of one process, or with gather=false each rank has written its own samples only. A mapreduce is folded all the same.
inline StructurePtr rank_partition(MPI_Comm comm, StructurePtr inner = nullptr, bool gather = true) {
  return detail::rank_partition_of(comm, inner ? std::move(inner) : host_team(), gather);
}

/// The ranks of a communicator with one CUDA device each, the rank's place on its node modulo the node's devices; streams and
/// arrays are of that device. All is as with rank_partition(comm, device_kernel()), but that NCCL gathers outputs on the
/// devices' memory: its communicator is made at the first gather and lives as long as the MPI communicator. Where NCCL or a
/// device fails on one rank, it is aborted and all say so; the next run makes a new one. One rank needs no NCCL. A template, so
/// that no list of devices is taken for a communicator.
template <std::same_as<MPI_Comm> Comm>
StructurePtr device_group(Comm comm, DeviceGroupOptions options = {}) {
  auto gatherer = detail::nccl_gatherer();
  if (!gatherer) return device_group(std::vector<int>(), options);  // not built, as it says
  return detail::device_group_of(
      comm, device_kernel({.stream = options.stream, .block = options.block, .staging = options.staging}), std::move(gatherer));
}

}  // namespace eagle
