// SPDX-License-Identifier: Apache-2.0
// Private to eagle::nccl: NCCL, opened at run time through one table, so that one build works where there is none. Names,
// signatures and numbers are those of nccl.h (docs.nvidia.com/deeplearning/nccl).
#pragma once

#include <cstddef>
#include <string>

#include <eagle/partition.hpp>

#include "device_kernel/driver.hpp"

namespace eagle::nccl {

using Comm = struct ncclComm*;

/// ncclResult_t, as far as eagle tells results apart.
enum Result : int { success = 0, in_progress = 7 };
/// ncclDataType_t: planes travel as bytes.
enum DataType : int { bytes = 1 };

/// ncclUniqueId, which is passed by value.
struct UniqueId {
  char internal[128] = {};
};

/// FUNCTION(member, symbol, parameters) for each function that is used.
#define EAGLE_NCCL_FUNCTIONS(FUNCTION)                                                                          \
  FUNCTION(get_version, ncclGetVersion, (int* version))                                                         \
  FUNCTION(init_all, ncclCommInitAll, (Comm * comms, int count, const int* devices))                            \
  FUNCTION(unique_id, ncclGetUniqueId, (UniqueId * id))                                                         \
  FUNCTION(init_rank, ncclCommInitRank, (Comm * comm, int count, UniqueId id, int rank))                        \
  FUNCTION(abort, ncclCommAbort, (Comm comm))                                                                   \
  FUNCTION(async_error, ncclCommGetAsyncError, (Comm comm, int* result))                                        \
  FUNCTION(group_start, ncclGroupStart, ())                                                                     \
  FUNCTION(group_end, ncclGroupEnd, ())                                                                         \
  FUNCTION(broadcast, ncclBroadcast,                                                                            \
           (const void* from, void* to, std::size_t count, int type, int root, Comm comm, cuda::Stream stream)) \
  FUNCTION(all_gather, ncclAllGather, (const void* from, void* to, std::size_t count, int type, Comm comm, cuda::Stream stream))

/// The functions of a library that was opened.
struct Library {
#define EAGLE_FUNCTION_POINTER(member, symbol, parameters) int(*member) parameters = nullptr;
  EAGLE_NCCL_FUNCTIONS(EAGLE_FUNCTION_POINTER)
#undef EAGLE_FUNCTION_POINTER
  const char* (*error_string)(int result) = nullptr;
  int version = 0;  ///< 10000 * major + 100 * minor + patch
};

/// NCCL, opened once: libnccl.so.2 of the loader's path, else the file that look_for_nccl_at() has named. Error(unavailable),
/// saying what was looked for.
const Library& library();
/// "NCCL 2.32.3".
std::string version_text();

/// Error(unavailable) with NCCL's own text unless the result is success.
void check(int result, const std::string& call);
/// Error(unavailable) where NCCL has noticed that something is wrong with a communicator of a device.
void check_health(Comm comm, const std::string& device);

/// Runs f, whose calls of NCCL begin together.
template <class F>
void grouped(F&& f) {
  check(library().group_start(), "ncclGroupStart");
  try {
    f();
  } catch (...) {
    library().group_end();
    throw;
  }
  check(library().group_end(), "ncclGroupEnd");
}

/// How a row of a partition is put together among so many devices: all_gather(samples each) where parts are equal, else
/// broadcast(d, part) of each part. Neither is called of no samples.
template <class AllGather, class Broadcast>
void gather_parts(const Partition& partition, int devices, AllGather&& all_gather, Broadcast&& broadcast) {
  if (partition.count == 0) return;
  if (partition.count % devices == 0) return all_gather(partition.count / devices);
  for (int d = 0; d < devices; ++d)
    if (const Partition part = part_of(partition, devices, d); part.count > 0) broadcast(d, part);
}

}  // namespace eagle::nccl
