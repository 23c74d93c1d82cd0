// SPDX-License-Identifier: Apache-2.0
// The functions of the CUDA driver that the stand-in has, with the driver's names and signatures (enumerations as int).
#pragma once

#include <cstddef>

using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphExec = struct CUgraphExec_st*;

using CUmemoryPool = struct CUmemPoolHandle_st*;
struct CUmemAccessDesc {
  int location_type, device, flags;
};

extern "C" {
int cuInit(unsigned flags);
int cuDriverGetVersion(int* version);
int cuGetErrorName(int result, const char** text);
int cuGetErrorString(int result, const char** text);

int cuDeviceGetDefaultMemPool(CUmemoryPool* pool, int device);
int cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* access, std::size_t count);
int cuDeviceGetCount(int* count);
int cuDeviceGet(int* device, int ordinal);
int cuDeviceGetName(char* name, int length, int device);
int cuDeviceGetAttribute(int* value, int attribute, int device);
int cuDeviceTotalMem_v2(std::size_t* bytes, int device);
int cuDeviceCanAccessPeer(int* can, int device, int peer);

int cuDevicePrimaryCtxRetain(CUcontext* context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxPushCurrent_v2(CUcontext context);
int cuCtxPopCurrent_v2(CUcontext* context);
int cuCtxGetCurrent(CUcontext* context);
int cuCtxSetCurrent(CUcontext context);

int cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, int* options, void** values);
int cuModuleUnload(CUmodule module);
int cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name);
int cuModuleGetGlobal_v2(CUdeviceptr* address, std::size_t* bytes, CUmodule module, const char* name);
int cuFuncGetAttribute(int* value, int attribute, CUfunction function);
int cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset, std::size_t* bytes);
int cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function, std::size_t (*shared)(int), std::size_t bytes,
                                     int limit);
int cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned shared, CUstream stream, void** params, void** extra);

int cuStreamCreate(CUstream* stream, unsigned flags);
int cuStreamDestroy_v2(CUstream stream);
int cuStreamSynchronize(CUstream stream);
int cuStreamQuery(CUstream stream);
int cuLaunchHostFunc(CUstream stream, void (*function)(void*), void* data);
int cuStreamGetCtx(CUstream stream, CUcontext* context);
int cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags);
int cuEventCreate(CUevent* event, unsigned flags);
int cuEventRecord(CUevent event, CUstream stream);
int cuEventSynchronize(CUevent event);
int cuEventQuery(CUevent event);
int cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end);
int cuEventDestroy_v2(CUevent event);

int cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes);
int cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned flags);
int cuMemFree_v2(CUdeviceptr address);
int cuMemAllocAsync(CUdeviceptr* address, std::size_t bytes, CUstream stream);
int cuMemFreeAsync(CUdeviceptr address, CUstream stream);
int cuMemHostAlloc(void** address, std::size_t bytes, unsigned flags);
int cuMemFreeHost(void* address);
int cuMemHostRegister_v2(void* address, std::size_t bytes, unsigned flags);
int cuMemHostUnregister(void* address);
int cuPointerGetAttributes(unsigned count, int* attributes, void** values, CUdeviceptr address);

int cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream);
int cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream);
int cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream);
int cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, std::size_t bytes,
                      CUstream stream);
int cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream);

int cuStreamBeginCapture_v2(CUstream stream, int mode);
int cuStreamEndCapture(CUstream stream, CUgraph* graph);
int cuStreamIsCapturing(CUstream stream, int* status);
int cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long flags);
int cuGraphLaunch(CUgraphExec exec, CUstream stream);
int cuGraphExecDestroy(CUgraphExec exec);
int cuGraphDestroy(CUgraph graph);
}
