// SPDX-License-Identifier: Apache-2.0
// The structures that this build leaves out, each with what would build it.
#include <eagle/structures.hpp>

#include <utility>

#include <eagle/error.hpp>

#ifdef EAGLE_HAS_CUDA
#include "device_kernel/devices.hpp"
#endif
#ifdef EAGLE_HAS_HOST
#include "host_team/runtime.hpp"
#endif
#ifndef EAGLE_HAS_NCCL
#include "device_group/rank_gathers.hpp"
#endif
#ifdef EAGLE_HAS_MPI
#include "rank_partition/world.hpp"
#endif

namespace eagle {
namespace {

constexpr const char* no_host = "configure eagle with -DEAGLE_HOST=ON and a Kokkos that has OpenMP";
constexpr const char* no_cuda = "configure eagle with -DEAGLE_CUDA=ON";
constexpr const char* no_mpi =
    "configure eagle with -DEAGLE_MPI=ON and an MPI that CMake finds (in Python: -DEAGLE_PYTHON_MPI=ON)";
constexpr const char* no_nccl = "configure eagle with -DEAGLE_CUDA=ON and -DEAGLE_NCCL=ON";

StructureInfo host_info() {
#ifdef EAGLE_HAS_HOST
  return {StructureKind::host_team, true, detail::kokkos_text()};
#else
  return {StructureKind::host_team, false, no_host};
#endif
}

StructureInfo device_info() {
#ifdef EAGLE_HAS_CUDA
  return {StructureKind::device_kernel, true, "the CUDA driver, opened at the first bind or run"};
#else
  return {StructureKind::device_kernel, false, no_cuda};
#endif
}

StructureInfo ranks_info() {
#ifdef EAGLE_HAS_MPI
  return {StructureKind::rank_partition, true, detail::library_text()};
#else
  return {StructureKind::rank_partition, false, no_mpi};
#endif
}

StructureInfo group_info() {
#ifdef EAGLE_HAS_NCCL
  return {StructureKind::device_group, true, "the CUDA driver and, for several devices, NCCL, opened at the first bind or run"};
#else
  return {StructureKind::device_group, false, no_nccl};
#endif
}

}  // namespace

#ifndef EAGLE_HAS_HOST
StructurePtr host_team(HostTeamOptions) { return not_built(StructureKind::host_team, no_host); }
#endif

#ifdef EAGLE_HAS_CUDA
int device_count() { return detail::device_count(); }
std::string devices() { return detail::devices_text(); }
std::string device_name(int device) { return detail::device_name(device); }
void order_streams(const DeviceStream& first, const DeviceStream& then) { detail::order_streams(first, then); }
void wait_for(const DeviceStream& stream) { detail::wait_for(stream); }
Device device_of(const void* address) {
  try {
    return detail::device_of(address);
  } catch (const Error&) {  // no driver has made it
    return {};
  }
}
#else
StructurePtr device_kernel(DeviceKernelOptions) { return not_built(StructureKind::device_kernel, no_cuda); }
std::string devices() {
  device_kernel()->require_built();
  return "";
}
Device device_of(const void*) { return {}; }
int device_count() { return 0; }
std::string device_name(int) { return devices(); }
void order_streams(const DeviceStream&, const DeviceStream&) { device_kernel()->require_built(); }
void wait_for(const DeviceStream&) { device_kernel()->require_built(); }
#endif

#ifdef EAGLE_HAS_MPI
StructurePtr rank_partition(StructurePtr inner, bool gather) {
  return detail::rank_partition_of_world(inner ? std::move(inner) : host_team(), gather);
}
std::string ranks() { return detail::ranks_text(); }
int rank() { return detail::world_rank(); }
#else
StructurePtr rank_partition(StructurePtr inner, bool) {
  return not_built(StructureKind::rank_partition, no_mpi, inner ? std::optional(inner->kind()) : std::nullopt);
}
std::string ranks() { return ""; }
int rank() { return 0; }
#endif

#ifndef EAGLE_HAS_NCCL
StructurePtr device_group(std::vector<int>, DeviceGroupOptions) { return not_built(StructureKind::device_group, no_nccl); }
void look_for_nccl_at(const std::string&) {}
namespace detail {
GathererPtr nccl_gatherer() { return nullptr; }
}  // namespace detail
#endif

std::vector<StructureInfo> structures() { return {host_info(), device_info(), ranks_info(), group_info()}; }

}  // namespace eagle
