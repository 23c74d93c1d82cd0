// SPDX-License-Identifier: Apache-2.0
// The structures that this build leaves out, each with what would build it.
#include <eagle/structures.hpp>

#include <optional>

#ifdef EAGLE_HAS_HOST
#include "host_team/runtime.hpp"
#endif

namespace eagle {
namespace {

constexpr const char* no_host = "configure eagle with -DEAGLE_HOST=ON and a Kokkos that has OpenMP";
constexpr const char* no_cuda = "this version of eagle has no CUDA backend yet";
constexpr const char* no_mpi = "this version of eagle has no MPI backend yet";
constexpr const char* no_nccl = "this version of eagle has no NCCL backend yet";

StructureInfo host_info() {
#ifdef EAGLE_HAS_HOST
  return {StructureKind::host_team, true, detail::kokkos_text()};
#else
  return {StructureKind::host_team, false, no_host};
#endif
}

}  // namespace

#ifndef EAGLE_HAS_HOST
StructurePtr host_team(HostTeamOptions) { return not_built(StructureKind::host_team, no_host); }
#endif

StructurePtr device_kernel() { return not_built(StructureKind::device_kernel, no_cuda); }

StructurePtr rank_partition(StructurePtr inner) {
  return not_built(StructureKind::rank_partition, no_mpi, inner ? std::optional(inner->kind()) : std::nullopt);
}

StructurePtr device_group() { return not_built(StructureKind::device_group, no_nccl); }

std::vector<StructureInfo> structures() {
  return {host_info(),
          {StructureKind::device_kernel, false, no_cuda},
          {StructureKind::rank_partition, false, no_mpi},
          {StructureKind::device_group, false, no_nccl}};
}

}  // namespace eagle
