// SPDX-License-Identifier: Apache-2.0
// Reads of cubins and fatbins what a driver's user sees. Both say how long they are; that they do is for the caller.
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <format>
#include <optional>

#include "images.hpp"
#include "state.hpp"

namespace stand_in {
namespace {

constexpr std::uint16_t cuda_machine = 190;
constexpr unsigned char kernel_symbol = 0x10;

template <class T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

class Cubin {
 public:
  explicit Cubin(const char* image) : image_(image), header_(load<Elf64_Ehdr>(image)) {
    for (unsigned k = 0; is_cubin() && k < header_.e_shnum; ++k)
      sections_.push_back(load<Elf64_Shdr>(image + header_.e_shoff + k * sizeof(Elf64_Shdr)));
  }

  bool is_cubin() const {
    return header_.e_machine == cuda_machine && header_.e_shoff != 0 && header_.e_shnum != 0 &&
           header_.e_shstrndx < header_.e_shnum && header_.e_shentsize == sizeof(Elf64_Shdr);
  }

  unsigned capability() const {
    return header_.e_ident[EI_OSABI] == 0x41 ? header_.e_flags >> 8 & 0xff : header_.e_flags & 0xff;
  }

  Content read() const {
    Content content;
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type != SHT_SYMTAB) continue;
      const char* const names = image_ + sections_.at(section.sh_link).sh_offset;
      for (std::size_t k = 0; k < section.sh_size / sizeof(Elf64_Sym); ++k)
        take(load<Elf64_Sym>(image_ + section.sh_offset + k * sizeof(Elf64_Sym)), names, content);
    }
    content.file.assign(image_, header_.e_shoff + sections_.size() * sizeof(Elf64_Shdr));
    return content;
  }

 private:
  std::string name(const Elf64_Shdr& section) const {
    return image_ + sections_[header_.e_shstrndx].sh_offset + section.sh_name;
  }

  void take(const Elf64_Sym& symbol, const char* names, Content& content) const {
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= sections_.size()) return;
    const Elf64_Shdr& section = sections_[symbol.st_shndx];
    const std::string called = names + symbol.st_name;
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if (type == STT_FUNC && (symbol.st_other & kernel_symbol) != 0 && name(section).starts_with(".text."))
      content.kernels.push_back(kernel(called));
    if (type != STT_OBJECT && type != 13) return;
    Global global{called, std::vector<std::byte>(symbol.st_size)};
    if (section.sh_type != SHT_NOBITS && symbol.st_size > 0)
      std::memcpy(global.bytes.data(), image_ + section.sh_offset + symbol.st_value - section.sh_addr, symbol.st_size);
    if (symbol.st_size > 0) content.globals.push_back(std::move(global));
  }

  /// With what the section .nv.info.NAME says in entries {format, attribute, 16 bits}, where format 4 has so many bytes behind.
  Kernel kernel(const std::string& called) const {
    constexpr unsigned char with_bytes = 4, max_threads = 0x05, parameter_info = 0x17;
    Kernel kernel;
    kernel.name = called;
    const auto section = std::ranges::find(sections_, ".nv.info." + called, [&](const auto& one) { return name(one); });
    kernel.known = section != sections_.end();
    if (!kernel.known) return kernel;
    std::vector<Parameter>& found = kernel.parameters;
    const char* const end = image_ + section->sh_offset + section->sh_size;
    for (const char* at = image_ + section->sh_offset; at + 4 <= end;) {
      const std::size_t bytes = at[0] == with_bytes ? load<std::uint16_t>(at + 2) : 0;
      if (at[0] == with_bytes && at[1] == parameter_info) {
        const auto ordinal = load<std::uint16_t>(at + 8);
        if (found.size() <= ordinal) found.resize(ordinal + 1U);
        found[ordinal] = {load<std::uint16_t>(at + 10), load<std::uint32_t>(at + 12) >> 18};
      }
      if (at[0] == with_bytes && at[1] == max_threads) kernel.max_threads = load<std::int32_t>(at + 4);
      at += 4 + bytes;
    }
    return kernel;
  }

  const char* image_;
  Elf64_Ehdr header_;
  std::vector<Elf64_Shdr> sections_;
};

bool runs_here(unsigned capability) {
  const auto major = static_cast<unsigned>(attribute(75)), minor = static_cast<unsigned>(attribute(76));
  return capability / 10 == major && capability % 10 <= minor;
}

/// A cubin for this device, or else the PTX, of those that are not compressed.
Content read_fatbin(const char* image) {
  constexpr std::uint16_t ptx = 1, cubin = 2;
  constexpr std::uint64_t compressed = 0xb000;
  const char* at = image + load<std::uint16_t>(image + 6);
  const char* const end = at + load<std::uint64_t>(image + 8);
  std::optional<Content> from_ptx;
  while (at < end) {
    const auto kind = load<std::uint16_t>(at);
    const char* const payload = at + load<std::uint32_t>(at + 4);
    const auto bytes = load<std::uint64_t>(at + 8);
    const bool plain = (load<std::uint64_t>(at + 40) & compressed) == 0;
    if (kind == cubin && plain && runs_here(Cubin(payload).capability())) return Cubin(payload).read();
    if (kind == ptx && plain && !from_ptx) from_ptx = read_ptx(std::string_view(payload, ::strnlen(payload, bytes)));
    at = payload + bytes;
  }
  if (!from_ptx) throw Refusal{no_binary_for_device, ""};
  return *from_ptx;
}

}  // namespace

Content read_cubin(const char* image) {
  const Cubin cubin(image);
  if (!cubin.is_cubin()) throw Refusal{invalid_image, ""};
  if (!runs_here(cubin.capability())) throw Refusal{no_binary_for_device, ""};
  return cubin.read();
}

Content read_image(const void* image) {
  const auto* const bytes = static_cast<const char*>(image);
  if (std::memcmp(bytes, ELFMAG, SELFMAG) == 0) return read_cubin(bytes);
  if (std::memcmp(bytes, "\x50\xed\x55\xba", 4) == 0) {
    Content content = read_fatbin(bytes);
    content.file.assign(bytes, load<std::uint16_t>(bytes + 6) + load<std::uint64_t>(bytes + 8));
    return content;
  }
  const std::string_view text = bytes;
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  if (!has(".version") && !has(".target") && !has(".entry"))
    throw Refusal{invalid_image, "the image is no PTX, cubin or fatbin"};
  return read_ptx(text);
}

}  // namespace stand_in
