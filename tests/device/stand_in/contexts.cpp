// SPDX-License-Identifier: Apache-2.0
// Devices, and the contexts that are current for a thread.
#include <unistd.h>

#include <cstring>
#include <format>

#include "state.hpp"

namespace stand_in {
namespace {

thread_local std::vector<CUctx_st*> stack;

CUctx_st& context_of(int device) {
  std::unique_ptr<CUctx_st>& context = state().contexts[device];
  if (context == nullptr) {
    context = std::make_unique<CUctx_st>();
    context->device = device;
    context->legacy = std::make_shared<CUstream_st>();
    context->legacy->context = context.get();
    context->legacy->legacy = true;
  }
  return *context;
}

CUctx_st& known_context(CUcontext handle) {
  for (const auto& [device, context] : state().contexts)
    if (context.get() == handle) return *context;
  misuse("a context that is none was given");
  throw Failure{invalid_context};
}

/// With a primary context go the memory, streams, events and modules that were made in it.
void destroy(CUctx_st& context) {
  State& all = state();
  synchronize(context);
  for (auto& [address, block] : all.blocks)
    if (block.device == context.device && block.kind != Kind::pinned && block.life != Life::freed) discard(block);
  for (const StreamPointer& stream : all.streams) stream->destroyed |= stream->context == &context;
  std::erase_if(all.streams, [&](const StreamPointer& stream) { return stream->context == &context; });
  std::erase_if(all.events, [&](const auto& event) { return event.second->context == &context; });
  std::erase_if(all.modules, [&](const auto& module) { return module.second->context == &context; });
  all.used[context.device] = 0;
  context.spoilt = 0;
}

}  // namespace

CUctx_st* current_or_null() { return stack.empty() ? nullptr : stack.back(); }

CUctx_st& current() {
  CUctx_st* const context = current_or_null();
  if (context == nullptr) throw Failure{invalid_context};
  if (context->retains == 0) throw Failure{context_is_destroyed};
  return *context;
}

int attribute(int number) {
  static const std::map<int, int> usual = {{1, 1024},  {2, 1024},  {3, 1024}, {4, 64},     {5, 2147483647}, {6, 65535},
                                           {7, 65535}, {8, 49152}, {10, 32},  {12, 65536}, {16, 132},       {41, 1},
                                           {75, 9},    {76, 0},    {83, 1},   {89, 1},     {97, 232448},    {115, 1}};
  const auto& set = state().settings.attributes;
  if (const auto found = set.find(number); found != set.end()) return found->second;
  const auto found = usual.find(number);
  return found == usual.end() ? 0 : found->second;
}

void check_device(int device) {
  if (device < 0 || device >= state().settings.devices) throw Failure{invalid_device};
}

}  // namespace stand_in

using namespace stand_in;

extern "C" {

int cuInit(unsigned flags) {
  return enter("cuInit", Needs::nothing, "", [&] {
    if (flags != 0) throw Failure{invalid_value};
    if (state().settings.devices == 0) throw Failure{no_device};
    state().initialized_by = ::getpid();
  });
}

int cuDriverGetVersion(int* version) {
  return enter("cuDriverGetVersion", Needs::nothing, "", [&] { *version = state().settings.version; });
}

int cuDeviceGetCount(int* count) {
  return enter("cuDeviceGetCount", Needs::init, "", [&] { *count = state().settings.devices; });
}

int cuDeviceGet(int* device, int ordinal) {
  return enter("cuDeviceGet", Needs::init, std::format("{}", ordinal), [&] {
    check_device(ordinal);
    *device = ordinal;
  });
}

int cuDeviceGetName(char* text, int length, int device) {
  return enter("cuDeviceGetName", Needs::init, std::format("device {}", device), [&] {
    check_device(device);
    if (text == nullptr || length <= 0) throw Failure{invalid_value};
    const std::string full = std::format("Stand-in device {}", device);
    text[full.copy(text, static_cast<std::size_t>(length) - 1)] = '\0';
  });
}

int cuDeviceGetAttribute(int* value, int number, int device) {
  return enter("cuDeviceGetAttribute", Needs::init, std::format("{} of device {}", number, device), [&] {
    check_device(device);
    *value = attribute(number);
  });
}

int cuDeviceGetDefaultMemPool(CUmemoryPool* pool, int device) {
  return enter("cuDeviceGetDefaultMemPool", Needs::init, std::format("device {}", device), [&] {
    check_device(device);
    *pool = reinterpret_cast<CUmemoryPool>(std::intptr_t{device} + 1);
  });
}

int cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* access, std::size_t count) {
  const auto of = reinterpret_cast<std::intptr_t>(pool) - 1;
  return enter("cuMemPoolSetAccess", Needs::init, std::format("device {} lets in {}", of, access[0].device), [&] {
    for (std::size_t k = 0; k < count; ++k) {
      check_device(access[k].device);
      if (access[k].location_type != 1 || access[k].flags != 3) throw Failure{invalid_value};
    }
  });
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  return enter("cuDeviceTotalMem_v2", Needs::init, std::format("device {}", device), [&] {
    check_device(device);
    *bytes = state().settings.memory;
  });
}

int cuDeviceCanAccessPeer(int* can, int device, int peer) {
  return enter("cuDeviceCanAccessPeer", Needs::init, std::format("device {}, peer {}", device, peer), [&] {
    check_device(device);
    check_device(peer);
    *can = device != peer;
  });
}

int cuDevicePrimaryCtxRetain(CUcontext* context, int device) {
  return enter("cuDevicePrimaryCtxRetain", Needs::init, std::format("device {}", device), [&] {
    check_device(device);
    CUctx_st& primary = context_of(device);
    ++primary.retains;
    *context = &primary;
  });
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  return enter("cuDevicePrimaryCtxRelease_v2", Needs::init, std::format("device {}", device), [&] {
    check_device(device);
    CUctx_st& primary = context_of(device);
    if (primary.retains == 0) throw Failure{invalid_context};
    if (--primary.retains == 0) destroy(primary);
  });
}

int cuCtxPushCurrent_v2(CUcontext context) {
  return enter("cuCtxPushCurrent_v2", Needs::init, "", [&] { stack.push_back(&known_context(context)); });
}

int cuCtxPopCurrent_v2(CUcontext* context) {
  return enter("cuCtxPopCurrent_v2", Needs::init, "", [&] {
    if (stack.empty()) throw Failure{invalid_context};
    if (context != nullptr) *context = stack.back();
    stack.pop_back();
  });
}

int cuCtxGetCurrent(CUcontext* context) {
  return enter("cuCtxGetCurrent", Needs::init, "", [&] { *context = current_or_null(); });
}

int cuCtxSetCurrent(CUcontext context) {
  return enter("cuCtxSetCurrent", Needs::init, "", [&] {
    if (!stack.empty()) stack.pop_back();
    if (context != nullptr) stack.push_back(&known_context(context));
  });
}
}
