// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <eagle/access.hpp>
#include <eagle/memory.hpp>
#include <eagle/structure.hpp>

/// The structures that a plan chooses from. One that was not compiled in exists all the same: plans are checked against it
/// and then refused with Error(not_built), naming the switch that builds it.
namespace eagle {

struct HostTeamOptions {
  int threads = 0;                         ///< size of the team; 0: as many as Kokkos::OpenMP has
  Schedule schedule = Schedule::static_;   ///< how samples are shared out
  std::int64_t tile = 0;                   ///< samples a tile with Schedule::dynamic; 0: chosen from the count
  std::shared_ptr<const void> space = {};  ///< set by host_team(Kokkos::OpenMP) of <eagle/kokkos.hpp>
};

/// A team of CPU threads on Kokkos::OpenMP, which is started at the first run if nobody has. Error(argument) on options
/// that cannot be, e.g. a negative number of threads.
StructurePtr host_team(HostTeamOptions options = {});
struct DeviceKernelOptions {
  /// CUDA's ordinal; absent: the first, and on ranks the rank's place on its node modulo the node's devices.
  std::optional<int> device = std::nullopt;
  std::optional<void*> stream = std::nullopt;  ///< a CUstream or cudaStream_t of that device; absent: one of eagle's own
  int block = 0;                               ///< threads a block; 0: from occupancy
  bool staging = false;                        ///< whether host arrays are copied to the device and back
};

/// One CUDA device, through the driver, which is opened at the first bind or run: planning needs none. Launches are queued on
/// the stream, which must outlive every plan and array made with it; eagle's own is ordered with the legacy default stream.
/// Arrays lie on the device or in managed memory; outputs that are not given are made there, with staging and no argument on
/// the device they are host arrays. Error(argument) on options that cannot be.
StructurePtr device_kernel(DeviceKernelOptions options = {});
/// All MPI ranks of a launcher, each driving its part of every partition through an inner structure (absent: host_team); MPI
/// is started at the first plan if nobody has, and then finalised when the process ends. Outside a launcher this process is
/// the one rank, and no MPI is started. <eagle/mpi.hpp> says what is collective, replicated and gathered.
StructurePtr rank_partition(StructurePtr inner = nullptr, bool gather = true);
struct DeviceGroupOptions {
  std::optional<void*> stream = std::nullopt;  ///< of the first device, in whose order launches take place; absent: eagle's own
  int block = 0;                               ///< threads a block; 0: from occupancy
  bool staging = false;                        ///< whether host arrays are copied to the first device and back
};

/// CUDA devices of this process, by CUDA's ordinals; all where none are named. Device d of D runs the d-th part of every
/// partition. Arguments may lie on any of them and are sent to the others at every launch; every device ends with the whole of
/// each output (Result::Output::replicas), and outputs that are not given are made on the first. Mapreduces are folded in
/// order. Several devices need NCCL, which is opened at the first bind or run. A launch waits where the body has a counter.
/// Where NCCL fails its communicators are aborted, Error(unavailable) says so, and what is bound later has new ones.
/// Error(argument) on devices and options that cannot be.
StructurePtr device_group(std::vector<int> devices = {}, DeviceGroupOptions options = {});
/// A file to open where the loader finds no libnccl.so.2, e.g. that of a Python package.
void look_for_nccl_at(const std::string& file);

/// How many CUDA devices there are; 0 where there is no driver. Starts the driver and no device.
int device_count();
/// All CUDA devices, for people. Error(unavailable) where there is no driver or no device, Error(not_built) without CUDA.
std::string devices();
/// "NVIDIA H200". Starts the device. Error(unavailable) where there is no such device, Error(not_built) without CUDA.
std::string device_name(int device);
/// Where an address lies, as far as the CUDA driver knows; host memory where there is none.
Device device_of(const void* address);

/// Has what `then` is given from now on come after what `first` has been given till now. The host does not wait.
void order_streams(const DeviceStream& first, const DeviceStream& then);
/// Returns when a stream has done what it has been given. Error(body) where a kernel failed.
void wait_for(const DeviceStream& stream);

/// What a launcher gave, for people: "4 ranks, 4 on this node, ..."; empty without MPI. Starts MPI inside a launcher.
std::string ranks();
/// The rank of this process in the launcher's world; 0 without one. Starts MPI inside a launcher.
int rank();

/// Whether this eagle has a structure, and what it stands on or how to build it.
struct StructureInfo {
  StructureKind kind;
  bool built;
  std::string detail;
};

/// All four, in the order of StructureKind. Starts no runtime.
std::vector<StructureInfo> structures();

}  // namespace eagle
