// SPDX-License-Identifier: Apache-2.0
// Copies and fills. From pageable memory a copy takes what is there at the call, to pageable memory it is done at the return,
// as with CUDA; with pinned memory both are when the operation runs.
#include <cstring>
#include <format>

#include "state.hpp"

using namespace stand_in;

namespace {

void* host(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

/// The block around [address, address + bytes), which must be whole and of a kind that the device can reach.
Block& reachable(CUdeviceptr address, std::size_t bytes) {
  Block* const block = find(address);
  if (block != nullptr && block->life != Life::freed && holds(*block, address, bytes)) return *block;
  misuse(std::format("{} bytes at {:#x} were to be copied or filled, which are not within memory that is allocated", bytes,
                     address));
  throw Failure{invalid_value};
}

/// The block of pinned or managed memory around it, or null: pageable memory.
Block* host_block(const void* pointer, std::size_t bytes) {
  const auto address = reinterpret_cast<CUdeviceptr>(pointer);
  Block* const block = find(address);
  if (block == nullptr) return nullptr;
  if (block->kind != Kind::device) return &reachable(address, bytes);
  misuse(std::format("{:#x} was given as host memory and is device memory", address));
  throw Failure{invalid_value};
}

std::function<int()> copying(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return [=] {
    std::memmove(host(to), host(from), bytes);
    return int{success};
  };
}

std::string text_of(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return std::format("{} bytes to {:#x} from {:#x}, {}", bytes, to, from, name(stream));
}

void copy_to_device(CUdeviceptr to, const void* from, std::size_t bytes, const StreamPointer& stream) {
  reachable(to, bytes);
  const auto address = reinterpret_cast<CUdeviceptr>(from);
  const std::string what = std::format("a copy of {} bytes to the device", bytes);
  if (host_block(from, bytes) != nullptr || stream->capture) {
    enqueue(stream, {what, {{to, bytes}, {address, bytes}}, copying(to, address, bytes)});
    return;
  }
  const auto* const start = static_cast<const std::byte*>(from);
  const auto now = std::make_shared<std::vector<std::byte>>(start, start + bytes);
  const auto run = [=] {
    std::memcpy(host(to), now->data(), bytes);
    return int{success};
  };
  enqueue(stream, {what, {{to, bytes}}, run});
}

void copy_to_host(void* to, CUdeviceptr from, std::size_t bytes, const StreamPointer& stream) {
  reachable(from, bytes);
  const auto address = reinterpret_cast<CUdeviceptr>(to);
  const bool pageable = host_block(to, bytes) == nullptr;
  const std::string what = std::format("a copy of {} bytes to the host", bytes);
  const Stamp stamp = enqueue(stream, {what, {{from, bytes}, {address, bytes}}, copying(address, from, bytes)});
  if (!pageable) return;
  run_until(stamp);
  throw_if_spoilt(*stream->context);
}

void copy_on_device(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, const StreamPointer& stream) {
  reachable(to, bytes);
  reachable(from, bytes);
  const std::string what = std::format("a copy of {} bytes on the device", bytes);
  enqueue(stream, {what, {{to, bytes}, {from, bytes}}, copying(to, from, bytes)});
}

}  // namespace

extern "C" {

int cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream handle) {
  const std::string text = text_of(to, reinterpret_cast<CUdeviceptr>(from), bytes, handle);
  return enter("cuMemcpyHtoDAsync_v2", Needs::context, text, [&] {
    const StreamPointer stream = resolve(handle);
    if (bytes != 0) copy_to_device(to, from, bytes, stream);
  });
}

int cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream handle) {
  const std::string text = text_of(reinterpret_cast<CUdeviceptr>(to), from, bytes, handle);
  return enter("cuMemcpyDtoHAsync_v2", Needs::context, text, [&] {
    const StreamPointer stream = resolve(handle);
    if (bytes != 0) copy_to_host(to, from, bytes, stream);
  });
}

int cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream handle) {
  return enter("cuMemcpyDtoDAsync_v2", Needs::context, text_of(to, from, bytes, handle), [&] {
    const StreamPointer stream = resolve(handle);
    if (bytes != 0) copy_on_device(to, from, bytes, stream);
  });
}

int cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, std::size_t bytes,
                      CUstream handle) {
  return enter("cuMemcpyPeerAsync", Needs::context, text_of(to, from, bytes, handle), [&] {
    const StreamPointer stream = resolve(handle);
    if (to_context == nullptr || from_context == nullptr) throw Failure{invalid_context};
    if (bytes == 0) return;
    if (reachable(to, bytes).device != to_context->device || reachable(from, bytes).device != from_context->device)
      throw Failure{invalid_value};
    copy_on_device(to, from, bytes, stream);
  });
}

int cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream handle) {
  const std::string text = std::format("{} bytes at {:#x} to {}, {}", bytes, to, value, name(handle));
  return enter("cuMemsetD8Async", Needs::context, text, [&] {
    const StreamPointer stream = resolve(handle);
    if (bytes == 0) return;
    reachable(to, bytes);
    const auto run = [=] {
      std::memset(host(to), value, bytes);
      return int{success};
    };
    enqueue(stream, {std::format("a fill of {} bytes", bytes), {{to, bytes}}, run});
  });
}
}
