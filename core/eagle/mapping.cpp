// SPDX-License-Identifier: Apache-2.0
#include <eagle/mapping.hpp>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include <eagle/bytes.hpp>

namespace eagle::detail {
namespace {

struct Mapped {
  ::ElfW(Addr) base = 0;
  std::span<const ::ElfW(Phdr)> segments;
};

int find_segments(::dl_phdr_info* info, std::size_t, void* result) {
  auto& mapped = *static_cast<Mapped*>(result);
  if (info->dlpi_addr != mapped.base) return 0;
  mapped.segments = {info->dlpi_phdr, info->dlpi_phnum};
  return 1;
}

/// Memory that nothing writes: neither the program, nor the loader, nor a debugger.
bool is_constant(const ::ElfW(Phdr) & segment) {
  if ((segment.p_flags & PF_W) != 0) return false;
  return segment.p_type == PT_NOTE || segment.p_type == PT_GNU_EH_FRAME ||
         (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) == 0);
}

/// Whether a segment lies in one that is mapped to be read.
bool is_readable(const ::ElfW(Phdr) & segment, std::span<const ::ElfW(Phdr)> segments) {
  return std::ranges::any_of(segments, [&](const ::ElfW(Phdr) & load) {
    return load.p_type == PT_LOAD && (load.p_flags & PF_R) != 0 && segment.p_vaddr >= load.p_vaddr &&
           segment.p_vaddr - load.p_vaddr <= load.p_filesz &&
           segment.p_filesz <= load.p_filesz - (segment.p_vaddr - load.p_vaddr);
  });
}

/// memcmp, by words, which may also read what lies between variables: the address sanitizer keeps others from that.
__attribute__((no_sanitize("address"))) bool same(const char* left, const char* right, std::size_t bytes) {
  std::size_t k = 0;
  for (std::uint64_t a = 0, b = 0; k + sizeof(a) <= bytes; k += sizeof(a)) {
    std::memcpy(&a, left + k, sizeof(a));
    std::memcpy(&b, right + k, sizeof(b));
    if (a != b) return false;
  }
  for (; k < bytes; ++k)
    if (left[k] != right[k]) return false;
  return true;
}

}  // namespace

bool is_mapped_from(void* handle, std::string_view file) {
  ::link_map* map = nullptr;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return false;
  Mapped mapped{map->l_addr, {}};
  ::dl_iterate_phdr(find_segments, &mapped);
  const auto header = load<::ElfW(Ehdr)>(file, 0, "the ELF header");
  const std::string_view table = part(file, header.e_phoff, header.e_phnum * sizeof(::ElfW(Phdr)), "the program header table");
  if (mapped.segments.size_bytes() != table.size() || std::memcmp(mapped.segments.data(), table.data(), table.size()) != 0)
    return false;
  for (const ::ElfW(Phdr) & segment : mapped.segments) {
    if (!is_constant(segment) || !is_readable(segment, mapped.segments)) continue;
    const std::string_view bytes = part(file, segment.p_offset, segment.p_filesz, "a segment");
    const auto* memory = reinterpret_cast<const char*>(mapped.base + segment.p_vaddr);
    if (!same(memory, bytes.data(), bytes.size())) return false;
  }
  return true;
}

}  // namespace eagle::detail
