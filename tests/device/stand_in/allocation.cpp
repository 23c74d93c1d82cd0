// SPDX-License-Identifier: Apache-2.0
// The driver's calls that allocate and free, and what it says of a pointer.
#include <format>

#include "state.hpp"

using namespace stand_in;

namespace {

enum PointerAttribute { context_of_pointer = 1, memory_type, device_pointer, host_pointer, is_managed = 8, device_ordinal };

std::string text_of(std::size_t bytes) { return std::format("{} bytes", bytes); }
std::string text_at(CUdeviceptr address) { return std::format("{:#x}", address); }

void charge(int device, std::size_t bytes) {
  std::size_t& used = state().used[device];
  if (bytes > state().settings.memory || used > state().settings.memory - bytes) throw Failure{out_of_memory};
  used += bytes;
}

Block& allocate(Kind kind, std::size_t bytes, Life life = Life::live) {
  if (bytes == 0) throw Failure{invalid_value};
  const int device = current().device;
  if (kind == Kind::pinned) return add_block(kind, device, bytes, life);
  charge(device, bytes);
  return add_block(kind, device, bytes, life);
}

/// The block that starts at an address and can be freed.
Block& freeable(CUdeviceptr address, bool pinned) {
  Block* const block = find(address);
  if (block == nullptr || block->address != address || (block->kind == Kind::pinned) != pinned || block->of_module ||
      block->registered) {
    misuse(std::format("{:#x} was freed, where nothing that can be freed starts", address));
    throw Failure{invalid_value};
  }
  if (block->life == Life::freed || block->free_queued) {
    misuse(std::format("{:#x} was freed twice", address));
    throw Failure{invalid_value};
  }
  return *block;
}

std::vector<std::string> users(const Block& block) {
  return queued_with([&](const Task& task) {
    for (const Range& range : task.uses)
      if (find(range.from) == &block) return true;
    return false;
  });
}

/// Discards a block that operations may still be queued for: they come too late.
void discard_unused(Block& block, std::string_view how) {
  for (const std::string& user : users(block))
    misuse(std::format("{} bytes at {:#x} were freed ({}) before {}, which uses them and which nothing orders before",
                       block.bytes, block.address, how, user));
  discard(block);
}

void register_host(void* pointer, std::size_t bytes) {
  const auto address = reinterpret_cast<CUdeviceptr>(pointer);
  if (pointer == nullptr || bytes == 0) throw Failure{invalid_value};
  if (find(address) != nullptr) throw Failure{already_registered};
  Block block;
  block.address = address;
  block.bytes = bytes;
  block.kind = Kind::pinned;
  block.device = current().device;
  block.registered = true;
  state().blocks[address] = block;
}

void answer(int attribute, void* value, const Block* block, CUdeviceptr address) {
  const bool on_host = block != nullptr && block->kind != Kind::device;
  switch (attribute) {
    case context_of_pointer:
      *static_cast<CUcontext*>(value) = block == nullptr ? nullptr : state().contexts[block->device].get();
      return;
    case memory_type: *static_cast<unsigned*>(value) = block == nullptr ? 0 : block->kind == Kind::pinned ? 1 : 2; return;
    case device_pointer: *static_cast<CUdeviceptr*>(value) = block == nullptr ? 0 : address; return;
    case host_pointer: *static_cast<void**>(value) = on_host ? reinterpret_cast<void*>(address) : nullptr; return;
    case is_managed: *static_cast<unsigned*>(value) = block != nullptr && block->kind == Kind::managed; return;
    case device_ordinal: *static_cast<int*>(value) = block == nullptr ? -2 : block->device; return;
    default: throw Failure{not_supported};
  }
}

}  // namespace

extern "C" {

int cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  return enter("cuMemAlloc_v2", Needs::context, text_of(bytes), [&] {
    refuse_in_capture();
    *address = allocate(Kind::device, bytes).address;
  });
}

int cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned flags) {
  return enter("cuMemAllocManaged", Needs::context, text_of(bytes), [&] {
    if (flags != 1 && flags != 2) throw Failure{invalid_value};
    refuse_in_capture();
    *address = allocate(Kind::managed, bytes).address;
  });
}

int cuMemFree_v2(CUdeviceptr address) {
  return enter_release("cuMemFree_v2", text_at(address), [&] {
    refuse_in_capture();
    Block& block = freeable(address, false);
    if (!block.pool) synchronize(*state().contexts[block.device]);
    if (!block.graph) state().used[block.device] -= block.bytes;
    discard_unused(block, "cuMemFree");
  });
}

int cuMemAllocAsync(CUdeviceptr* address, std::size_t bytes, CUstream handle) {
  return enter("cuMemAllocAsync", Needs::context, std::format("{} bytes, {}", bytes, name(handle)), [&] {
    if (attribute(115) == 0) throw Failure{not_supported};
    const StreamPointer stream = resolve(handle);
    if (bytes == 0) throw Failure{invalid_value};
    if (!stream->capture) charge(stream->context->device, bytes);
    Block& block = add_block(Kind::device, stream->context->device, bytes, Life::reserved);
    block.pool = true;
    block.graph = stream->capture != nullptr;
    *address = block.address;
    const auto start = [at = block.address] {
      Block& made = *find(at);
      made.life = Life::live;
      fill(made);
      return int{success};
    };
    enqueue(stream, {std::format("the allocation of {} bytes", bytes), {}, start});
  });
}

int cuMemFreeAsync(CUdeviceptr address, CUstream handle) {
  return enter_release("cuMemFreeAsync", std::format("{}, {}", text_at(address), name(handle)), [&] {
    const StreamPointer stream = resolve(handle);
    Block& block = freeable(address, false);
    const bool of_graph = block.graph && stream->capture;
    if (!block.graph) state().used[block.device] -= block.bytes;
    const auto end = [address, of_graph] {
      Block& old = *find(address);
      if (of_graph) old.life = Life::reserved;
      else discard_unused(old, "cuMemFreeAsync");
      return int{success};
    };
    if (stream->context->spoilt != 0) return discard(block);
    enqueue(stream, {std::format("the freeing of {:#x}", address), {}, end});
    block.free_queued = !of_graph;
  });
}

int cuMemHostAlloc(void** address, std::size_t bytes, unsigned flags) {
  return enter("cuMemHostAlloc", Needs::context, text_of(bytes), [&] {
    if (flags > 7) throw Failure{invalid_value};
    refuse_in_capture();
    *address = reinterpret_cast<void*>(allocate(Kind::pinned, bytes).address);
  });
}

int cuMemFreeHost(void* pointer) {
  const auto address = reinterpret_cast<CUdeviceptr>(pointer);
  return enter_release("cuMemFreeHost", text_at(address), [&] {
    refuse_in_capture();
    discard_unused(freeable(address, true), "cuMemFreeHost");
  });
}

int cuMemHostRegister_v2(void* pointer, std::size_t bytes, unsigned) {
  return enter("cuMemHostRegister_v2", Needs::context, text_of(bytes), [&] { register_host(pointer, bytes); });
}

int cuMemHostUnregister(void* pointer) {
  const auto address = reinterpret_cast<CUdeviceptr>(pointer);
  return enter_release("cuMemHostUnregister", text_at(address), [&] {
    Block* const block = find(address);
    if (block == nullptr || block->address != address || !block->registered) throw Failure{not_registered};
    for (const std::string& user : users(*block)) misuse(std::format("{:#x} was unregistered before {}", address, user));
    state().blocks.erase(address);
  });
}

int cuPointerGetAttributes(unsigned count, int* attributes, void** values, CUdeviceptr address) {
  return enter("cuPointerGetAttributes", Needs::init, text_at(address), [&] {
    const Block* block = find(address);
    if (block != nullptr && (block->life == Life::freed || block->free_queued)) block = nullptr;
    for (unsigned k = 0; k < count; ++k) answer(attributes[k], values[k], block, address);
  });
}
}
