// SPDX-License-Identifier: Apache-2.0
// Device, managed and pinned memory: host memory, each block with a page behind it that nobody can reach. Device memory is out
// of reach too but while an operation of its device runs. What was freed stays out of reach, and its addresses are not used
// again.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <format>

#include "state.hpp"

namespace stand_in {
namespace {

constexpr std::size_t page = 4096, most_filled = std::size_t{64} << 20, most_freed = 4096;
constexpr unsigned char unwritten = 0xff, behind = 0xa5;
constexpr int nothing = -2;

int exposed = nothing;

void* host(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

void set_open(Block& block, bool open) {
  if (block.open == open || block.life == Life::freed) return;
  ::mprotect(host(block.address), block.mapped, open ? PROT_READ | PROT_WRITE : PROT_NONE);
  block.open = open;
}

void open_for(int device) {
  exposed = device;
  for (auto& [address, block] : state().blocks)
    if (block.kind == Kind::device)
      set_open(block, !state().settings.protect || device == every_device || device == block.device);
}

/// That nothing was written between the end of the block and that of its last page.
void check_end(Block& block) {
  set_open(block, true);
  const auto* const start = static_cast<const unsigned char*>(host(block.address));
  if (!std::all_of(start + block.bytes, start + block.mapped, [](unsigned char byte) { return byte == behind; }))
    misuse(std::format("{} bytes at {:#x} were written beyond their end", block.bytes, block.address));
}

}  // namespace

void expose(int device) {
  if (exposed != device) open_for(device);
}

void hide() { open_for(nothing); }

Block& add_block(Kind kind, int device, std::size_t bytes, Life life) {
  Block block;
  block.bytes = bytes;
  block.mapped = (bytes + page - 1) / page * page;
  void* const start = ::mmap(nullptr, block.mapped + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) throw Failure{out_of_memory};
  ::mprotect(start, block.mapped, PROT_READ | PROT_WRITE);
  block.address = reinterpret_cast<CUdeviceptr>(start);
  block.kind = kind;
  block.device = device;
  block.life = life;
  std::memset(static_cast<char*>(start) + bytes, behind, block.mapped - bytes);
  Block& added = state().blocks[block.address] = block;
  fill(added);
  hide();
  return added;
}

void fill(Block& block) {
  const bool open = block.open;
  set_open(block, true);
  std::memset(host(block.address), unwritten, std::min(block.bytes, most_filled));
  set_open(block, open);
}

void discard(Block& block) {
  State& all = state();
  check_end(block);
  ::mmap(host(block.address), block.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  block.life = Life::freed;
  block.open = false;
  all.freed.push_back(block.address);
  if (all.freed.size() <= most_freed) return;
  const auto oldest = all.blocks.find(all.freed.front());
  all.freed.pop_front();
  ::munmap(host(oldest->first), oldest->second.mapped + page);
  all.blocks.erase(oldest);
}

Block* find(CUdeviceptr address) {
  auto next = state().blocks.upper_bound(address);
  if (next == state().blocks.begin()) return nullptr;
  Block& block = std::prev(next)->second;
  return address - block.address < block.bytes ? &block : nullptr;
}

bool holds(const Block& block, CUdeviceptr address, std::size_t bytes) {
  return address >= block.address && bytes <= block.bytes - (address - block.address);
}

}  // namespace stand_in
