// SPDX-License-Identifier: Apache-2.0
#include <eagle/elf.hpp>

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include <eagle/bytes.hpp>
#include <eagle/image.hpp>
#include <fmt/format.h>

namespace eagle::detail {
namespace {

/// What <elf.h> does not have of NVIDIA's additions.
constexpr unsigned char cuda_entry = 0x10;     // bit of st_other: a kernel
constexpr unsigned char cuda_object = 13;      // symbol type of a relocatable variable
constexpr unsigned char cuda_osabi_v1 = 0x33;  // the architecture is in bits 0 to 7 of e_flags
constexpr unsigned char cuda_osabi_v2 = 0x41;  // in bits 8 to 15

/// `count` entries of T, one after the other.
template <class T>
std::vector<T> table(std::string_view bytes, std::uint64_t offset, std::uint64_t count, std::string_view what) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::string_view raw = part(bytes, offset, count > most / sizeof(T) ? most : count * sizeof(T), what);
  std::vector<T> entries(count);
  if (count > 0) std::memcpy(entries.data(), raw.data(), raw.size());
  return entries;
}

template <class T>
std::vector<T> header_table(std::string_view file, std::uint64_t offset, std::uint64_t count, std::uint64_t entry_size,
                            std::string_view what) {
  if (count > 0 && entry_size != sizeof(T))
    throw Defect{"malformed", fmt::format("entries of the {} have {} bytes: {} are accepted", what, entry_size, sizeof(T))};
  return table<T>(file, offset, count, what);
}

class Elf {
 public:
  Elf(std::string_view file, Image& image)
      : file_(file), image_(image), header_(load<Elf64_Ehdr>(file, 0, "the ELF header")), names_left_(file.size()) {
    read_tables();
  }

  void read_host() {
    const std::vector<Elf64_Dyn> dynamic = dynamic_entries();
    const auto address = [&](Elf64_Sxword tag) {
      const auto found = std::ranges::find(dynamic, tag, &Elf64_Dyn::d_tag);
      return found == dynamic.end() ? 0 : found->d_un.d_ptr;
    };
    if (address(DT_SYMTAB) == 0 || address(DT_STRTAB) == 0) return;
    const std::uint64_t count = symbol_count(address(DT_GNU_HASH), address(DT_HASH));
    const std::string_view names =
        part(loaded(address(DT_STRTAB), "the dynamic string table"), 0, address(DT_STRSZ), "the dynamic string table");
    const std::string_view symbols = loaded(address(DT_SYMTAB), "the dynamic symbol table");
    for (const Elf64_Sym& symbol : table<Elf64_Sym>(symbols, 0, count, "the dynamic symbol table"))
      if (is_exported(symbol)) take(symbol, name_at(names, symbol.st_name));
  }

  void read_cubin() {
    image_.architecture = architecture();
    const auto section = std::ranges::find(sections_, Elf64_Word{SHT_SYMTAB}, &Elf64_Shdr::sh_type);
    if (section == sections_.end()) return;
    const std::string_view names = content(section_at(section->sh_link));
    const std::uint64_t count = section->sh_size / sizeof(Elf64_Sym);
    for (const Elf64_Sym& symbol : table<Elf64_Sym>(content(*section), 0, count, "the symbol table"))
      if (symbol.st_shndx != SHN_UNDEF) take(symbol, name_at(names, symbol.st_name));
  }

 private:
  void read_tables() {
    // Where there are too many sections for e_shnum, it is 0 and section 0 holds their number.
    std::uint64_t count = header_.e_shnum;
    if (count == 0 && header_.e_shoff != 0)
      count = load<Elf64_Shdr>(file_, header_.e_shoff, "the section header table").sh_size;
    sections_ = header_table<Elf64_Shdr>(file_, header_.e_shoff, count, header_.e_shentsize, "section header table");
    segments_ = header_table<Elf64_Phdr>(file_, header_.e_phoff, header_.e_phnum, header_.e_phentsize, "program header table");
    for (const Elf64_Shdr& section : sections_) content(section);
    for (const Elf64_Phdr& segment : segments_) part(file_, segment.p_offset, segment.p_filesz, "a segment");
  }

  std::string_view content(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NULL || section.sh_type == SHT_NOBITS) return {};
    return part(file_, section.sh_offset, section.sh_size, "a section");
  }

  const Elf64_Shdr& section_at(std::uint32_t index) const {
    if (index >= sections_.size())
      throw Defect{"malformed", fmt::format("section {} is referred to, and there are {}", index, sections_.size())};
    return sections_[index];
  }

  /// What the file holds from an address of the running library on, to the end of its segment.
  std::string_view loaded(std::uint64_t address, std::string_view what) const {
    for (const Elf64_Phdr& segment : segments_) {
      const std::uint64_t within = address - segment.p_vaddr;
      if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && within < segment.p_filesz)
        return part(file_, segment.p_offset, segment.p_filesz, "a segment").substr(within);
    }
    throw Defect{"malformed", fmt::format("{} lies at address {:#x}, for which the file has no content", what, address)};
  }

  std::vector<Elf64_Dyn> dynamic_entries() const {
    const auto found = std::ranges::find(segments_, Elf64_Word{PT_DYNAMIC}, &Elf64_Phdr::p_type);
    if (found == segments_.end()) return {};
    auto entries = table<Elf64_Dyn>(file_, found->p_offset, found->p_filesz / sizeof(Elf64_Dyn), "the dynamic segment");
    entries.erase(std::ranges::find(entries, Elf64_Sxword{DT_NULL}, &Elf64_Dyn::d_tag), entries.end());
    return entries;
  }

  /// The dynamic symbol table has no length of its own: the loader finds symbols by the hash tables, which name the last one.
  std::uint64_t symbol_count(std::uint64_t gnu_hash, std::uint64_t hash) const {
    if (gnu_hash == 0 && hash == 0) return 0;
    const std::string_view bytes = loaded(gnu_hash != 0 ? gnu_hash : hash, "the symbol hash table");
    const auto word = [&](std::uint64_t offset) { return load<std::uint32_t>(bytes, offset, "the symbol hash table"); };
    if (gnu_hash == 0) return word(4);
    const std::uint64_t bucket_count = word(0);
    const std::uint64_t first = word(4);
    const std::uint64_t buckets = 16 + std::uint64_t{8} * word(8);
    std::uint64_t last = 0;
    for (std::uint64_t k = 0; k < bucket_count; ++k) last = std::max<std::uint64_t>(last, word(buckets + 4 * k));
    if (last < first) return 0;
    const std::uint64_t chain = buckets + 4 * bucket_count;
    while ((word(chain + 4 * (last - first)) & 1) == 0) ++last;
    return last + 1;
  }

  static bool is_exported(const Elf64_Sym& symbol) {
    const auto visibility = ELF64_ST_VISIBILITY(symbol.st_other);
    return symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL &&
           (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
  }

  /// Names may share bytes. That they add up to no more than the file has bounds the work for a hostile table.
  std::string_view name_at(std::string_view names, std::uint32_t offset) {
    const std::size_t end = names.find('\0', offset);
    if (end == std::string_view::npos) throw Defect{"malformed", "the name of a symbol has no end"};
    const std::string_view found = names.substr(offset, end - offset);
    if (found.size() >= names_left_) throw Defect{"malformed", "the names of its symbols are longer than the file"};
    names_left_ -= found.size() + 1;
    return found;
  }

  void take(const Elf64_Sym& symbol, std::string_view name) {
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    const bool is_cubin = image_.kind == ImageKind::cubin;
    const bool is_function = type == STT_FUNC || (type == STT_GNU_IFUNC && !is_cubin);
    if (is_function && (!is_cubin || (symbol.st_other & cuda_entry) != 0)) take_function(image_, name);
    if ((type == STT_OBJECT || type == cuda_object) && lacks_export(image_, name))
      take_export(image_, name, data(symbol, name));
  }

  std::string_view data(const Elf64_Sym& symbol, std::string_view name) const {
    if (image_.kind == ImageKind::host) return part(loaded(symbol.st_value, name), 0, symbol.st_size, name);
    const Elf64_Shdr& section = section_at(symbol.st_shndx);
    return part(content(section), symbol.st_value - section.sh_addr, symbol.st_size, name);
  }

  std::string architecture() const {
    const unsigned char osabi = header_.e_ident[EI_OSABI];
    const unsigned number = osabi == cuda_osabi_v1   ? header_.e_flags & 0xff
                            : osabi == cuda_osabi_v2 ? header_.e_flags >> 8 & 0xff
                                                     : 0;
    return number == 0 ? std::string() : fmt::format("sm_{}", number);
  }

  std::string_view file_;
  Image& image_;
  Elf64_Ehdr header_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<Elf64_Phdr> segments_;
  std::size_t names_left_;
};

}  // namespace

bool is_elf(std::string_view file) noexcept { return file.starts_with(ELFMAG); }

void read_elf(std::string_view file, Image& image) {
  image.kind = ImageKind::host;
  const std::string_view ident = part(file, 0, EI_NIDENT, "the ELF header");
  image.bits = ident[EI_CLASS] == ELFCLASS64 ? 64 : ident[EI_CLASS] == ELFCLASS32 ? 32 : 0;
  image.little_endian = ident[EI_DATA] == ELFDATA2LSB;
  const auto half = [&](std::uint64_t offset) {
    const auto value = load<std::uint16_t>(file, offset, "the ELF header");
    return image.little_endian ? value : static_cast<std::uint16_t>(value << 8 | value >> 8);
  };
  image.type = half(EI_NIDENT);
  image.machine = half(EI_NIDENT + 2);
  if (image.machine == EM_CUDA) image.kind = ImageKind::cubin;
  if (image.bits != 64 || !image.little_endian) return;
  Elf elf(file, image);
  image.kind == ImageKind::cubin ? elf.read_cubin() : elf.read_host();
}

}  // namespace eagle::detail
