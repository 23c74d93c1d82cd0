// SPDX-License-Identifier: Apache-2.0
// Private to eagle::cuda: the CUDA driver, opened at run time through one table, so that building and loading eagle needs no
// toolkit and no driver. Names, signatures and numbers are those of the CUDA Driver API (docs.nvidia.com/cuda/cuda-driver-api).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <eagle/error.hpp>

namespace eagle::cuda {

using Context = struct CUctx_st*;
using ModuleHandle = struct CUmod_st*;
using Function = struct CUfunc_st*;
using Stream = struct CUstream_st*;
using Event = struct CUevent_st*;
using Pool = struct CUmemPoolHandle_st*;
using Pointer = unsigned long long;

/// CUresult, as far as eagle tells results apart.
enum Result : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  device_unavailable = 46,
  no_device = 100,
  invalid_device = 101,
  invalid_image = 200,
  no_binary_for_device = 209,
  ecc_uncorrectable = 214,
  invalid_ptx = 218,
  nvlink_uncorrectable = 220,
  unsupported_ptx_version = 222,
  contained = 226,
  invalid_handle = 400,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  launch_out_of_resources = 701,
  launch_failed = 719,
};

enum DeviceAttribute : int {
  multiprocessors = 16,
  capability_major = 75,
  capability_minor = 76,
  memory_pools = 115,
};
enum PointerAttribute : int { memory_type = 2, is_managed = 8, device_ordinal = 9 };
/// CUmemAccessDesc: a device that may read and write a pool's memory.
struct PoolAccess {
  int location_type = 1;  // CU_MEM_LOCATION_TYPE_DEVICE
  int device = 0;
  int flags = 3;  // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
};
enum MemoryType : unsigned { device_memory_type = 2 };
enum JitOption : int { error_log = 5, error_log_bytes = 6 };
enum FunctionAttribute : int { max_threads_per_block = 0 };
enum StreamFlag : unsigned { ordered_with_default = 0, non_blocking = 1 };
enum EventFlag : unsigned { disable_timing = 2 };
enum CaptureStatus : int { not_capturing = 0 };

/// FUNCTION(member, symbol, parameters) for each driver function that is used.
#define EAGLE_DRIVER_FUNCTIONS(FUNCTION)                                                                                     \
  FUNCTION(init, cuInit, (unsigned flags))                                                                                   \
  FUNCTION(driver_version, cuDriverGetVersion, (int* version))                                                               \
  FUNCTION(error_name, cuGetErrorName, (int result, const char** text))                                                      \
  FUNCTION(error_string, cuGetErrorString, (int result, const char** text))                                                  \
  FUNCTION(device_count, cuDeviceGetCount, (int* count))                                                                     \
  FUNCTION(device_get, cuDeviceGet, (int* device, int ordinal))                                                              \
  FUNCTION(device_name, cuDeviceGetName, (char* name, int length, int device))                                               \
  FUNCTION(device_attribute, cuDeviceGetAttribute, (int* value, int attribute, int device))                                  \
  FUNCTION(can_access_peer, cuDeviceCanAccessPeer, (int* can, int device, int peer))                                         \
  FUNCTION(default_pool, cuDeviceGetDefaultMemPool, (Pool * pool, int device))                                               \
  FUNCTION(set_pool_access, cuMemPoolSetAccess, (Pool pool, const PoolAccess* devices, std::size_t count))                   \
  FUNCTION(primary_context, cuDevicePrimaryCtxRetain, (Context * context, int device))                                       \
  FUNCTION(release_context, cuDevicePrimaryCtxRelease_v2, (int device))                                                      \
  FUNCTION(push_context, cuCtxPushCurrent_v2, (Context context))                                                             \
  FUNCTION(pop_context, cuCtxPopCurrent_v2, (Context * context))                                                             \
  FUNCTION(load_module, cuModuleLoadDataEx,                                                                                  \
           (ModuleHandle * module, const void* image, unsigned count, int* options, void** values))                          \
  FUNCTION(unload_module, cuModuleUnload, (ModuleHandle module))                                                             \
  FUNCTION(get_function, cuModuleGetFunction, (Function * function, ModuleHandle module, const char* name))                  \
  FUNCTION(get_global, cuModuleGetGlobal_v2, (Pointer * address, std::size_t* bytes, ModuleHandle module, const char* name)) \
  FUNCTION(function_attribute, cuFuncGetAttribute, (int* value, int attribute, Function function))                           \
  FUNCTION(block_size, cuOccupancyMaxPotentialBlockSize,                                                                     \
           (int* grid, int* block, Function function, std::size_t (*shared)(int), std::size_t bytes, int limit))             \
  FUNCTION(launch, cuLaunchKernel,                                                                                           \
           (Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,        \
            unsigned block_z, unsigned shared, Stream stream, void** params, void** extra))                                  \
  FUNCTION(create_stream, cuStreamCreate, (Stream * stream, unsigned flags))                                                 \
  FUNCTION(destroy_stream, cuStreamDestroy_v2, (Stream stream))                                                              \
  FUNCTION(synchronize, cuStreamSynchronize, (Stream stream))                                                                \
  FUNCTION(query, cuStreamQuery, (Stream stream))                                                                            \
  FUNCTION(wait_event, cuStreamWaitEvent, (Stream stream, Event event, unsigned flags))                                      \
  FUNCTION(capture_status, cuStreamIsCapturing, (Stream stream, int* status))                                                \
  FUNCTION(create_event, cuEventCreate, (Event * event, unsigned flags))                                                     \
  FUNCTION(record_event, cuEventRecord, (Event event, Stream stream))                                                        \
  FUNCTION(query_event, cuEventQuery, (Event event))                                                                         \
  FUNCTION(synchronize_event, cuEventSynchronize, (Event event))                                                             \
  FUNCTION(destroy_event, cuEventDestroy_v2, (Event event))                                                                  \
  FUNCTION(allocate, cuMemAlloc_v2, (Pointer * address, std::size_t bytes))                                                  \
  FUNCTION(free, cuMemFree_v2, (Pointer address))                                                                            \
  FUNCTION(allocate_async, cuMemAllocAsync, (Pointer * address, std::size_t bytes, Stream stream))                           \
  FUNCTION(free_async, cuMemFreeAsync, (Pointer address, Stream stream))                                                     \
  FUNCTION(allocate_host, cuMemHostAlloc, (void** address, std::size_t bytes, unsigned flags))                               \
  FUNCTION(free_host, cuMemFreeHost, (void* address))                                                                        \
  FUNCTION(copy_to_device, cuMemcpyHtoDAsync_v2, (Pointer to, const void* from, std::size_t bytes, Stream stream))           \
  FUNCTION(copy_to_host, cuMemcpyDtoHAsync_v2, (void* to, Pointer from, std::size_t bytes, Stream stream))                   \
  FUNCTION(copy_on_device, cuMemcpyDtoDAsync_v2, (Pointer to, Pointer from, std::size_t bytes, Stream stream))               \
  FUNCTION(copy_between, cuMemcpyPeerAsync,                                                                                  \
           (Pointer to, Context to_context, Pointer from, Context from_context, std::size_t bytes, Stream stream))           \
  FUNCTION(set_bytes, cuMemsetD8Async, (Pointer to, unsigned char value, std::size_t bytes, Stream stream))                  \
  FUNCTION(pointer_attributes, cuPointerGetAttributes, (unsigned count, int* attributes, void** values, Pointer address))

/// The functions of a driver that was opened. `parameter_info` (cuFuncGetParamInfo, CUDA 12.4) may be null.
struct Driver {
#define EAGLE_FUNCTION_POINTER(member, symbol, parameters) int(*member) parameters = nullptr;
  EAGLE_DRIVER_FUNCTIONS(EAGLE_FUNCTION_POINTER)
#undef EAGLE_FUNCTION_POINTER
  int (*parameter_info)(Function function, std::size_t index, std::size_t* offset, std::size_t* bytes) = nullptr;
  int version = 0;  ///< of the CUDA that the driver supports, 1000 * major + 10 * minor
};

/// The driver of this machine, opened and initialised once. Error(unavailable), saying what was looked for, where there is none
/// or it finds no device.
const Driver& driver();
/// "CUDA 13.0".
std::string version_text(const Driver& driver);

/// What a result means: memory for no memory, unavailable for a device that is not there (any more), bundle for an image that
/// the driver does not take, body for what a kernel did, argument for a handle that is none, else internal.
Code code_of(int result);
/// Throws what a result means, unless it is success. Names the call, the device that is current (gpu.hpp) and the driver's own
/// text.
void check(int result, const char* call);
/// "CUDA_ERROR_NOT_FOUND: named symbol not found".
std::string result_text(int result);

}  // namespace eagle::cuda
