// SPDX-License-Identifier: Apache-2.0
#include <eagle/image_check.hpp>

#include <dlfcn.h>
#include <elf.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstring>
#include <map>
#include <random>
#include <set>

#include <eagle/error.hpp>

#include "temporary_folder.hpp"

namespace {

using eagle::ImageKind;
using eagle::Target;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;
using Path = std::filesystem::path;
using Words = std::array<std::uint64_t, 5>;

const Path bundles = Path(EAGLE_TEST_DATA) / "bundles";
const Path images = Path(EAGLE_TEST_DATA) / "images";
const Path faulty = FAULTY_PLUGINS;

eagle::Declaration host_declaration(const Path& artifact, const std::string& entry = "twice_host") {
  eagle::Declaration declaration;
  declaration.id = "plugin";
  declaration.kernel = entry.substr(0, entry.find("_host"));
  declaration.host_entry = entry;
  declaration.aether_abi = "aether-abi/2";
  declaration.format = "host";
  declaration.targets = {Target::host};
  declaration.artifact = artifact;
  return declaration;
}

eagle::Declaration device_declaration(const Path& artifact, const std::string& format, const std::string& kernel) {
  eagle::Declaration declaration = host_declaration(artifact, kernel + "_host");
  declaration.format = format;
  declaration.targets = {Target::device};
  return declaration;
}

eagle::Findings check_host(const Path& artifact) {
  return eagle::check_image(host_declaration(artifact), Target::host).findings;
}

testing::Matcher<eagle::Finding> finding(const testing::Matcher<std::string>& code,
                                         const testing::Matcher<std::string>& message) {
  return AllOf(Field(&eagle::Finding::code, code), Field(&eagle::Finding::message, message));
}

/// Files of this test, and the good host plugin with bytes changed.
class ImageTest : public testing::Test {
 protected:
  template <class T>
  Path patched(std::size_t offset, T value) {
    std::string bytes = good_;
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    return write_bytes(folder_ / "patched.so", bytes);
  }
  Path written(const std::string& bytes) { return write_bytes(folder_ / "written", bytes); }

  Elf64_Ehdr header() const {
    Elf64_Ehdr result;
    std::memcpy(&result, good_.data(), sizeof result);
    return result;
  }
  std::string without_sections() const {
    std::string bytes = good_;
    std::memset(bytes.data() + offsetof(Elf64_Ehdr, e_shoff), 0, sizeof(Elf64_Off));
    std::memset(bytes.data() + offsetof(Elf64_Ehdr, e_shnum), 0, 2 * sizeof(Elf64_Half));
    return bytes;
  }
  Elf64_Phdr segment(std::size_t k) const {
    Elf64_Phdr result;
    std::memcpy(&result, good_.data() + header().e_phoff + k * sizeof result, sizeof result);
    return result;
  }
  Elf64_Shdr section(std::size_t k) const {
    Elf64_Shdr result;
    std::memcpy(&result, good_.data() + header().e_shoff + k * sizeof result, sizeof result);
    return result;
  }
  static std::set<std::size_t> ends(std::size_t offset, std::size_t size) { return {offset, offset + size}; }
  /// Offset of the d_val of a tag in the dynamic segment.
  std::size_t dynamic_value(Elf64_Sxword tag) const {
    for (std::size_t k = 0; k < header().e_phnum; ++k) {
      if (segment(k).p_type != PT_DYNAMIC) continue;
      for (std::size_t at = segment(k).p_offset;; at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        std::memcpy(&entry, good_.data() + at, sizeof entry);
        if (entry.d_tag == tag) return at + sizeof entry.d_tag;
        if (entry.d_tag == DT_NULL) break;
      }
    }
    throw std::runtime_error("no such dynamic entry");
  }
  std::uint64_t word(std::size_t offset) const {
    std::uint64_t result;
    std::memcpy(&result, good_.data() + offset, sizeof result);
    return result;
  }

  TemporaryFolder folder_;
  const std::string good_ = read_bytes(faulty / "good.so");
};

TEST_F(ImageTest, AcceptsRealHostLibraries) {
  for (const auto& [file, entry] : {std::pair{"matvec_two/matvec.so", "matvec_host"},
                                    {"mixed_two/mixed.so", "mixed_host"},
                                    {"mr_sum_guard/mr_sum_guard.so", "mr_sum_guard_host"}}) {
    const auto [image, findings] = eagle::check_image(host_declaration(bundles / file, entry), Target::host);
#if defined(__x86_64__)
    EXPECT_THAT(findings, IsEmpty()) << file;
#else
    EXPECT_THAT(findings, ElementsAre(finding("machine", HasSubstr("x86-64")))) << file;
#endif
    EXPECT_EQ(image.kind, ImageKind::host);
    EXPECT_EQ(image.machine, EM_X86_64);
    EXPECT_EQ(image.bits, 64);
    EXPECT_TRUE(image.little_endian);
    EXPECT_EQ(image.type, ET_DYN);
    EXPECT_THAT(image.functions, ElementsAre(entry));
    EXPECT_EQ(image.abi_tag, "aether-abi/2");
    EXPECT_EQ(image.layout_words, (Words{40, 32, 32, 4, 24}));
    EXPECT_EQ(image.index_bytes(), 4u);
    EXPECT_EQ(image.identity.bytes, std::filesystem::file_size(bundles / file));
  }
}

TEST_F(ImageTest, AcceptsRealPtx) {
  for (const auto& [file, kernel] : {std::pair{"matvec_two/matvec.ptx", "matvec"}, {"mixed_two/mixed.ptx", "mixed"}}) {
    const auto [image, findings] = eagle::check_image(device_declaration(bundles / file, "ptx", kernel), Target::device);
    EXPECT_THAT(findings, IsEmpty()) << file;
    EXPECT_EQ(image.kind, ImageKind::ptx);
    EXPECT_THAT(image.functions, ElementsAre(kernel));
    EXPECT_EQ(image.ptx_version, "9.0");
    EXPECT_EQ(image.architecture, "sm_90");
    EXPECT_EQ(image.bits, 64);
    EXPECT_EQ(image.abi_tag, "aether-abi/2");
    EXPECT_EQ(image.layout_words, (Words{40, 32, 32, 4, 24}));
  }
}

TEST_F(ImageTest, AcceptsCubinAndFatbin) {
  const auto [image, findings] =
      eagle::check_image(device_declaration(images / "scale.cubin", "cubin", "scale"), Target::device);
  EXPECT_THAT(findings, IsEmpty());
  EXPECT_EQ(image.kind, ImageKind::cubin);
  EXPECT_EQ(image.machine, EM_CUDA);
  EXPECT_EQ(image.architecture, "sm_90");
  EXPECT_THAT(image.functions, ElementsAre("scale"));
  EXPECT_EQ(image.abi_tag, "aether-abi/2");
  EXPECT_EQ(image.layout_words, (Words{40, 32, 32, 4, 24}));
  const auto fatbin = eagle::check_image(device_declaration(images / "scale.fatbin", "fatbin", "any"), Target::device);
  EXPECT_THAT(fatbin.findings, IsEmpty());
  EXPECT_EQ(fatbin.image.kind, ImageKind::fatbin);
  EXPECT_EQ(fatbin.image.index_bytes(), 4u);
}

TEST_F(ImageTest, ReadsTheArchitectureOfOlderCubins) {
  std::string bytes = read_bytes(images / "scale.cubin");
  const auto architecture = [&](unsigned char osabi, Elf64_Word flags) {
    bytes[EI_OSABI] = static_cast<char>(osabi);
    std::memcpy(bytes.data() + offsetof(Elf64_Ehdr, e_flags), &flags, sizeof flags);
    return eagle::read_image(written(bytes)).architecture;
  };
  EXPECT_EQ(architecture(0x33, 0x5a0d5a), "sm_90");  // as CUDA 12.4 writes it
  EXPECT_EQ(architecture(0x33, 0x500550), "sm_80");
  EXPECT_EQ(architecture(0x41, 0x6007802), "sm_120");  // CUDA 13.0
  EXPECT_EQ(architecture(0, 0x5a055a), "");
}

TEST_F(ImageTest, TakesTheHostLibraryOfATwoTargetPlugin) {
  eagle::Declaration declaration = device_declaration(images / "scale.cubin", "cubin", "scale");
  declaration.targets = {Target::device, Target::host};
  declaration.host_artifact = faulty / "good.so";
  declaration.host_entry = "twice_host";
  EXPECT_THAT(eagle::check_image(declaration, Target::host).findings, IsEmpty());
  EXPECT_THAT(eagle::check_image(declaration, Target::device).findings, IsEmpty());
  declaration.targets = {Target::device};
  EXPECT_THAT(eagle::check_image(declaration, Target::host).findings, ElementsAre(finding("target", HasSubstr("host"))));
}

TEST_F(ImageTest, FindingsNamePluginAndFile) {
  const eagle::Findings findings = check_host(faulty / "no_tag.so");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].plugin, "plugin");
  EXPECT_EQ(findings[0].pointer, "no_tag.so");
}

struct FaultyPlugin {
  const char* name;
  const char* code;
  const char* message;
};

TEST_F(ImageTest, RefusesFaultyPluginsWithoutRunningThem) {
  const Path trace = folder_ / "trace";
  ::setenv("EAGLE_TEST_TRACE", trace.c_str(), 1);
  for (const auto& [name, code, message] : std::initializer_list<FaultyPlugin>{
           {"no_entry", "missing-symbol",
            R"(no exported function 'twice_host'; it has 'another_function': declare it extern "C")"},
           {"entry_is_data", "missing-symbol", "'twice_host'"},
           {"entry_is_hidden", "missing-symbol", "'twice_host'"},
           {"no_tag", "abi-tag", "no eagle_abi_tag; the char array 'aether-abi/2' is needed"},
           {"v1_tag", "abi-tag", "eagle_abi_tag is 'aether-abi/1', and 'aether-abi/2' is declared"},
           {"long_tag", "abi-tag", "eagle_abi_tag is 'aether-abi/22'"},
           {"no_layout", "layout", "no eagle_layout_sizes"},
           {"layout_gref", "layout", "GRefMirror has 48 bytes; 40 is accepted"},
           {"layout_scalar", "layout", "ScalarHandle has 24 bytes; 32 is accepted"},
           {"layout_int", "layout", "IntHandle has 40 bytes; 32 is accepted"},
           {"layout_index", "layout", "index has 16 bytes; 4 or 8 is accepted"},
           {"layout_triple", "layout", "PartitionTriple has 12 bytes; 24 is accepted"},
           {"layout_short", "layout", "eagle_layout_sizes has 32 bytes: 40 are needed"},
           {"layout_without_content", "malformed", "eagle_layout_sizes lies at address"}}) {
    const Path file = faulty / (std::string(name) + ".so");
    EXPECT_THAT(check_host(file), testing::Contains(finding(code, HasSubstr(message)))) << name;
    EXPECT_EQ(::dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD), nullptr) << name;
  }
  EXPECT_FALSE(std::filesystem::exists(trace));
  ::unsetenv("EAGLE_TEST_TRACE");
}

TEST_F(ImageTest, NamesEveryWrongWord) {
  EXPECT_THAT(
      check_host(faulty / "layout_all.so"),
      ElementsAre(finding("layout", HasSubstr("GRefMirror has 1 ")), finding("layout", HasSubstr("ScalarHandle has 2 ")),
                  finding("layout", HasSubstr("IntHandle has 3 ")), finding("layout", HasSubstr("index has 5 ")),
                  finding("layout", HasSubstr("PartitionTriple has 6 "))));
}

TEST_F(ImageTest, AcceptsA64BitIndexAndOtherHashTables) {
  const auto index = eagle::check_image(host_declaration(faulty / "index_8.so"), Target::host);
  EXPECT_THAT(index.findings, IsEmpty());
  EXPECT_EQ(index.image.index_bytes(), 8u);
  for (const char* name : {"good.so", "sysv_hash.so"}) {
    const auto [image, findings] = eagle::check_image(host_declaration(faulty / name), Target::host);
    EXPECT_THAT(findings, IsEmpty()) << name;
    EXPECT_THAT(image.functions, UnorderedElementsAre("twice_host", "another_function")) << name;
    EXPECT_TRUE(image.has_symbol("twice_host"));
    EXPECT_FALSE(image.has_symbol("twice"));
    EXPECT_FALSE(image.has_symbol("eagle_abi_tag"));
  }
}

TEST_F(ImageTest, V1NeedsNeitherTagNorLayout) {
  const auto check_v1 = [](const char* name) {
    eagle::Declaration declaration = host_declaration(faulty / name);
    declaration.schema_version = 1;
    declaration.aether_abi = "aether-abi/1";
    return eagle::check_image(declaration, Target::host);
  };
  EXPECT_THAT(check_v1("v1.so").findings, IsEmpty());
  EXPECT_EQ(check_v1("v1.so").image.index_bytes(), 4u);
  EXPECT_THAT(check_v1("v1_tag.so").findings, IsEmpty());
  EXPECT_THAT(check_v1("good.so").findings, ElementsAre(finding("abi-tag", HasSubstr("'aether-abi/2'"))));
  EXPECT_THAT(check_v1("layout_gref.so").findings,
              ElementsAre(finding("abi-tag", testing::_), finding("layout", HasSubstr("GRefMirror"))));
  EXPECT_THAT(check_v1("no_entry.so").findings, testing::Contains(finding("missing-symbol", testing::_)));
}

TEST_F(ImageTest, SuggestsTheNearName) {
  EXPECT_THAT(eagle::check_image(host_declaration(faulty / "good.so", "twice_hots"), Target::host).findings,
              ElementsAre(finding("missing-symbol", HasSubstr("did you mean 'twice_host'?"))));
  EXPECT_THAT(eagle::check_image(device_declaration(images / "scale.cubin", "cubin", "scales"), Target::device).findings,
              ElementsAre(finding("missing-symbol", HasSubstr("no kernel 'scales' (did you mean 'scale'?)"))));
}

TEST_F(ImageTest, ComparesFormatWithContent) {
  const std::map<std::string, Path> files = {
      {"host", faulty / "good.so"},        {"ptx", bundles / "mixed_two/mixed.ptx"},         {"cubin", images / "scale.cubin"},
      {"fatbin", images / "scale.fatbin"}, {"nothing", bundles / "mixed_two/manifest.json"}, {"empty", written("")}};
  for (const std::string declared : {"host", "ptx", "cubin", "fatbin"})
    for (const auto& [found, file] : files) {
      eagle::Declaration declaration = device_declaration(file, declared, "mixed");
      const Target target = declared == "host" ? Target::host : Target::device;
      declaration.targets = {target};
      const auto expected = finding("format", HasSubstr("format '" + declared + "' is declared"));
      const eagle::Findings findings = eagle::check_image(declaration, target).findings;
      if (declared == found) EXPECT_THAT(findings, Not(testing::Contains(expected))) << declared;
      else EXPECT_THAT(findings, ElementsAre(expected)) << declared << " " << found;
    }
}

TEST_F(ImageTest, RefusesOtherMachines) {
  const std::uint16_t other = header().e_machine == EM_X86_64 ? EM_AARCH64 : EM_X86_64;
  EXPECT_THAT(check_host(patched(offsetof(Elf64_Ehdr, e_machine), other)),
              ElementsAre(finding("machine", AllOf(HasSubstr("x86-64"), HasSubstr("aarch64")))));
  EXPECT_THAT(check_host(patched(offsetof(Elf64_Ehdr, e_machine), std::uint16_t{40})),
              ElementsAre(finding("machine", HasSubstr("machine 40"))));
  EXPECT_THAT(check_host(patched(EI_CLASS, std::uint8_t{ELFCLASS32})), ElementsAre(finding("machine", HasSubstr("32-bit"))));
  EXPECT_THAT(check_host(patched(EI_CLASS, std::uint8_t{7})), testing::Contains(finding("machine", HasSubstr("0-bit"))));
  EXPECT_THAT(check_host(patched(EI_DATA, std::uint8_t{ELFDATA2MSB})),
              testing::Contains(finding("machine", HasSubstr("big-endian"))));
  for (const std::uint16_t type : {ET_NONE, ET_REL, ET_EXEC, ET_CORE})
    EXPECT_THAT(check_host(patched(offsetof(Elf64_Ehdr, e_type), type)),
                ElementsAre(finding("format", HasSubstr("link it with -shared"))));
}

TEST_F(ImageTest, ReadsWithoutSectionHeaders) {
  const auto stripped = eagle::check_image(host_declaration(written(without_sections())), Target::host);
  EXPECT_THAT(stripped.findings, IsEmpty());
  EXPECT_THAT(stripped.image.functions, UnorderedElementsAre("twice_host", "another_function"));
}

TEST_F(ImageTest, ReadsAnExtendedSectionCount) {
  std::string bytes = good_;
  const Elf64_Xword count = header().e_shnum;
  std::memset(bytes.data() + offsetof(Elf64_Ehdr, e_shnum), 0, sizeof(Elf64_Half));
  std::memcpy(bytes.data() + header().e_shoff + offsetof(Elf64_Shdr, sh_size), &count, sizeof count);
  EXPECT_THAT(check_host(written(bytes)), IsEmpty());
  const Elf64_Xword more = ~Elf64_Xword{0} / sizeof(Elf64_Shdr) + 2;  // times the size of an entry it wraps around to a little
  std::memcpy(bytes.data() + header().e_shoff + offsetof(Elf64_Shdr, sh_size), &more, sizeof more);
  EXPECT_THAT(check_host(written(bytes)), ElementsAre(finding("truncated", HasSubstr("section header table"))));
}

/// Lengths below `end` to cut a file to: all of its first bytes, those around the marks, and some of the others.
std::set<std::size_t> cuts(std::size_t end, const std::set<std::size_t>& marks) {
  std::set<std::size_t> result;
  for (std::size_t size = 0; size < end; size += size < 64 ? 1 : 29) result.insert(size);
  for (const std::size_t mark : marks)
    for (const std::size_t size : {mark - 1, mark, mark + 1})
      if (size < end) result.insert(size);
  return result;
}

TEST_F(ImageTest, TruncationIsAFinding) {
  const auto all_refused = [](const eagle::Declaration& declaration, Target target, const std::set<std::size_t>& sizes) {
    for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
      std::filesystem::resize_file(declaration.artifact, *size);
      const eagle::Findings findings = eagle::check_image(declaration, target).findings;
      ASSERT_FALSE(findings.empty()) << *size;
      if (target == Target::host && *size >= SELFMAG) {
        ASSERT_EQ(findings[0].code, "truncated") << *size;
      }
    }
  };
  std::set<std::size_t> sections, segments;
  for (std::size_t k = 0; k < header().e_phnum; ++k) segments.merge(ends(segment(k).p_offset, segment(k).p_filesz));
  for (std::size_t k = 0; k < header().e_shnum; ++k) sections.merge(ends(section(k).sh_offset, section(k).sh_size));
  for (std::size_t k = 0; k < header().e_phnum * sizeof(Elf64_Phdr); ++k) segments.insert(header().e_phoff + k);
  for (std::size_t k = 0; k < header().e_shnum * sizeof(Elf64_Shdr); ++k) sections.insert(header().e_shoff + k);
  const std::size_t loaded = *segments.rbegin();
  sections.insert(segments.begin(), segments.end());
  all_refused(host_declaration(written(good_)), Target::host, cuts(good_.size(), sections));
  all_refused(host_declaration(written(without_sections())), Target::host, cuts(loaded, segments));
  for (const std::string format : {"cubin", "fatbin"}) {
    const std::string bytes = read_bytes(images / ("scale." + format));
    all_refused(device_declaration(written(bytes), format, "scale"), Target::device, cuts(bytes.size(), {bytes.size()}));
  }
  const std::string ptx = read_bytes(bundles / "mixed_two/mixed.ptx");
  all_refused(device_declaration(written(ptx), "ptx", "mixed"), Target::device, cuts(ptx.rfind('}'), {ptx.rfind('}')}));
}

TEST_F(ImageTest, HostileNumbersAreFindings) {
  const std::uint64_t most = ~std::uint64_t{0};
  const std::size_t first_load = [&] {
    std::size_t k = 0;
    while (segment(k).p_type != PT_LOAD) ++k;
    return header().e_phoff + k * sizeof(Elf64_Phdr);
  }();
  for (const auto& [what, offset] : {std::pair<const char*, std::size_t>{"e_phoff", offsetof(Elf64_Ehdr, e_phoff)},
                                     {"e_shoff", offsetof(Elf64_Ehdr, e_shoff)},
                                     {"p_offset", first_load + offsetof(Elf64_Phdr, p_offset)},
                                     {"p_filesz", first_load + offsetof(Elf64_Phdr, p_filesz)},
                                     {"DT_STRSZ", dynamic_value(DT_STRSZ)},
                                     {"DT_STRTAB", dynamic_value(DT_STRTAB)},
                                     {"DT_SYMTAB", dynamic_value(DT_SYMTAB)},
                                     {"DT_GNU_HASH", dynamic_value(DT_GNU_HASH)}})
    for (const std::uint64_t value :
         {most, most - 7, most / 2 + 1, most / sizeof(Elf64_Shdr) + 1, std::uint64_t{good_.size() + 1}})
      EXPECT_THAT(check_host(patched(offset, value)),
                  ElementsAre(finding(testing::AnyOf("truncated", "malformed"), testing::_)))
          << what << " " << value;
  const std::uint64_t hash = word(dynamic_value(DT_GNU_HASH));  // in the first segment, where addresses are offsets
  EXPECT_THAT(check_host(patched(hash, std::uint32_t{0xffffffff})), ElementsAre(finding("truncated", HasSubstr("hash table"))));
  EXPECT_THAT(check_host(patched(hash + 8, std::uint32_t{0xffffffff})),
              ElementsAre(finding("truncated", HasSubstr("hash table"))));
  for (const auto& [what, offset] : {std::pair<const char*, std::size_t>{"e_phentsize", offsetof(Elf64_Ehdr, e_phentsize)},
                                     {"e_shentsize", offsetof(Elf64_Ehdr, e_shentsize)}})
    for (const std::uint16_t value : {0, 1, 65535})
      EXPECT_THAT(check_host(patched(offset, value)), ElementsAre(finding("malformed", HasSubstr("entries")))) << what;
  EXPECT_THAT(check_host(patched(offsetof(Elf64_Ehdr, e_phnum), std::uint16_t{0xffff})),
              ElementsAre(finding("truncated", HasSubstr("program header table"))));
}

/// An ELF library whose `count` symbols all bear the same name, with `idle` segments that say nothing.
std::string same_names(std::size_t count, const std::string& name, unsigned char type = STT_FUNC, std::uint16_t idle = 0) {
  const std::size_t dynamic = sizeof(Elf64_Ehdr) + (idle + std::size_t{2}) * sizeof(Elf64_Phdr);
  const std::size_t hash = dynamic + 5 * sizeof(Elf64_Dyn), symbols = hash + 8, names = symbols + count * sizeof(Elf64_Sym);
  std::string bytes(names + name.size() + 1, '\0');
  const auto put = [&](std::size_t at, const auto& value) { std::memcpy(bytes.data() + at, &value, sizeof value); };
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = static_cast<Elf64_Half>(idle + 2);
  put(0, header);
  put(dynamic - 2 * sizeof(Elf64_Phdr), Elf64_Phdr{PT_LOAD, PF_R, 0, 0, 0, bytes.size(), bytes.size(), 1});
  put(dynamic - sizeof(Elf64_Phdr), Elf64_Phdr{PT_DYNAMIC, PF_R, dynamic, dynamic, 0, 5 * sizeof(Elf64_Dyn), 0, 1});
  std::size_t at = dynamic;
  for (const auto& [tag, value] : {std::pair<Elf64_Sxword, std::size_t>{DT_HASH, hash},
                                   {DT_SYMTAB, symbols},
                                   {DT_STRTAB, names},
                                   {DT_STRSZ, name.size() + 1},
                                   {DT_NULL, 0}}) {
    put(at, tag);
    put(at + 8, std::uint64_t{value});
    at += sizeof(Elf64_Dyn);
  }
  put(hash + 4, static_cast<std::uint32_t>(count));
  for (std::size_t k = 0; k < count; ++k)
    put(symbols + k * sizeof(Elf64_Sym),
        Elf64_Sym{0, static_cast<unsigned char>(ELF64_ST_INFO(STB_GLOBAL, type)), STV_DEFAULT, 1, 0, 4});
  std::memcpy(bytes.data() + names, name.data(), name.size());
  return bytes;
}

TEST_F(ImageTest, WorkIsBoundedByTheSizeOfTheFile) {
  EXPECT_THAT(eagle::read_image(written(same_names(3, "f"))).functions, ElementsAre("f", "f", "f"));
  const eagle::Image image = eagle::read_image(written(same_names(100000, std::string(1000000, 'f'))));
  ASSERT_TRUE(image.defect);
  EXPECT_THAT(image.defect->message, HasSubstr("longer than the file"));
  EXPECT_LE(image.functions.size(), 4u);
  const std::string tags = same_names(600000, "eagle_abi_tag", STT_OBJECT, 60000);
  EXPECT_EQ(eagle::read_image(written(tags)).abi_tag,
            "\x7f"
            "ELF");  // minutes, if each symbol looked through all segments
}

const std::string ptx_head = ".version 8.3\n.target sm_80, debug\n.address_size 64\n";

/// A name takes more memory than the shortest kernel takes bytes.
TEST_F(ImageTest, KeepsAMillionFunctionsAtMost) {
  std::string text = ptx_head;
  for (int k = 0; k < 1 << 20; ++k) text += ".entry a{}";
  EXPECT_FALSE(eagle::read_image(written(text)).defect);
  const eagle::Image image = eagle::read_image(written(text + ".entry b{}"));
  ASSERT_TRUE(image.defect);
  EXPECT_THAT(*image.defect, finding("malformed", HasSubstr("more than 1048576 functions")));
  EXPECT_EQ(image.functions.size(), std::size_t{1} << 20);
  const eagle::Image library = eagle::read_image(written(same_names((1 << 20) + 1, "f")));
  ASSERT_TRUE(library.defect);
  EXPECT_THAT(library.defect->message, HasSubstr("more than 1048576 functions"));
}

TEST_F(ImageTest, RandomMutationsNeverCrash) {
  std::mt19937_64 random(20240501);
  const auto mutate = [&](const Path& original, const auto& declare, Target target) {
    const std::string whole = read_bytes(original);
    for (int k = 0; k < 600; ++k) {
      std::string bytes = whole;
      const std::size_t reach = k % 2 == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 1024);
      for (std::size_t changes = 1 + random() % 8; changes > 0; --changes)
        bytes[random() % reach] = static_cast<char>(k % 3 == 0 ? 0xff : random());
      eagle::check_image(declare(written(bytes)), target);
    }
  };
  mutate(faulty / "good.so", [](const Path& file) { return host_declaration(file); }, Target::host);
  mutate(faulty / "sysv_hash.so", [](const Path& file) { return host_declaration(file); }, Target::host);
  const auto device = [](const std::string& format) {
    return [format](const Path& file) { return device_declaration(file, format, "scale"); };
  };
  mutate(images / "scale.cubin", device("cubin"), Target::device);
  mutate(images / "scale.fatbin", device("fatbin"), Target::device);
  mutate(bundles / "mixed_two/mixed.ptx", device("ptx"), Target::device);
}

TEST_F(ImageTest, WhatIsNoFileIsAFinding) {
  EXPECT_THAT(check_host(folder_ / "missing.so"), ElementsAre(finding("not-found", HasSubstr("missing.so"))));
  EXPECT_THAT(check_host(folder_ / "missing" / "a.so"), ElementsAre(finding("not-found", testing::_)));
  EXPECT_THAT(check_host(folder_.path()), ElementsAre(finding("unreadable", HasSubstr("no regular file"))));
  ASSERT_EQ(::mkfifo((folder_ / "fifo.so").c_str(), 0600), 0);
  EXPECT_THAT(check_host(folder_ / "fifo.so"), ElementsAre(finding("unreadable", HasSubstr("no regular file"))));
  EXPECT_THAT(check_host("/dev/zero"), ElementsAre(finding("unreadable", HasSubstr("no regular file"))));
  EXPECT_THAT(check_host(written("")), ElementsAre(finding("format", HasSubstr("is empty"))));
  std::filesystem::resize_file(written(""), std::uintmax_t{1} << 31);  // sparse
  EXPECT_THAT(check_host(folder_ / "written"), ElementsAre(finding("unreadable", HasSubstr("2147483648 bytes"))));
  std::filesystem::create_symlink(faulty / "good.so", folder_ / "link.so");
  EXPECT_THAT(check_host(folder_ / "link.so"), IsEmpty());
}

TEST_F(ImageTest, ReadImageThrowsOnlyWhereThereIsNoContent) {
  const auto code = [](const Path& path) {
    try {
      eagle::read_image(path);
    } catch (const eagle::Error& error) {
      return error.code();
    }
    return eagle::Code::internal;
  };
  EXPECT_EQ(code(folder_ / "missing.so"), eagle::Code::not_found);
  EXPECT_EQ(code(folder_.path()), eagle::Code::io);
  EXPECT_EQ(eagle::read_image(written("something")).kind, ImageKind::unknown);
  EXPECT_TRUE(eagle::read_image(written(good_.substr(0, 100))).defect);
}

// --- PTX ---

const std::string ptx_tag = ".global .align 1 .b8 eagle_abi_tag[13] = {97,101,116,104,101,114,45,97,98,105,47,50};\n";

TEST_F(ImageTest, ReadsPtxAsItMayBeWritten) {
  const eagle::Image image = eagle::read_image(
      written("/* .version 1.0 { */ // {\n" + ptx_head + ".file 1 \"a{.cu\"\n" + ptx_tag +
              ".extern .shared .align 8 .b8 pool[];\n.global .align 4 .u32 other[2] = {1, 2};\n"
              ".visible .const .align 8 .u64 eagle_layout_sizes[5] = {40, 0x20, 32U, 8 , 24};\n"
              ".global .align 8 .u64 pointer = generic(eagle_layout_sizes);\n"
              ".func (.reg .b32 r) helper(.param .b64 p) { ret; }\n"
              ".weak .entry _Z1kIfEvPT_(.param .u64 p) .maxntid 128, 1, 1\n{ { .reg .b64 %rd; } ret; // }\n }\n"
              ".entry plain\n{ ret; }\n"));
  EXPECT_FALSE(image.defect) << image.defect->message;
  EXPECT_EQ(image.ptx_version, "8.3");
  EXPECT_EQ(image.architecture, "sm_80");
  EXPECT_THAT(image.functions, ElementsAre("_Z1kIfEvPT_", "plain"));
  EXPECT_EQ(image.abi_tag, "aether-abi/2");
  EXPECT_EQ(image.layout_words, (Words{40, 32, 32, 8, 24}));
  EXPECT_EQ(image.index_bytes(), 8u);
}

/// Of names as long as the one that is missing all letters are compared, and of a file with many such names only the first.
TEST_F(ImageTest, LooksForMisspellingsWithBoundedWork) {
  const auto suggests = [&](int others, std::size_t length) {
    std::string text = ptx_head;
    for (int k = 0; k < others; ++k) text += ".entry " + std::string(length, static_cast<char>('b' + k % 20)) + "{}\n";
    const std::string near(length, 'z');
    const Path file = written(text + ".entry " + near + "y{}\n");
    const eagle::Findings findings = eagle::check_image(device_declaration(file, "ptx", near), Target::device).findings;
    return findings[0].message.find("did you mean") != std::string::npos;
  };
  EXPECT_TRUE(suggests(900, 16));
  EXPECT_TRUE(suggests(9, 250));
  EXPECT_FALSE(suggests(900, 250));
}

TEST_F(ImageTest, LeftOutZerosOfPtxAreZeros) {
  const auto layout = [&](const std::string& text) { return eagle::read_image(written(ptx_head + text)).layout_words; };
  EXPECT_EQ(layout(".global .align 8 .b8 eagle_layout_sizes[40] = {40, 0, 0, 0, 0, 0, 0, 0, 32};"), (Words{40, 32, 0, 0, 0}));
  EXPECT_EQ(layout(".global .align 8 .b8 eagle_layout_sizes[40] = {0, 1};"), (Words{256, 0, 0, 0, 0}));
  EXPECT_EQ(layout(".global .align 8 .b8 eagle_layout_sizes[40];"), (Words{}));
  EXPECT_EQ(layout(""), std::nullopt);
}

TEST_F(ImageTest, RefusesPtxThatCannotBeRead) {
  for (const auto& [text, code, message] : std::initializer_list<std::tuple<const char*, const char*, const char*>>{
           {".global .b8 eagle_layout_sizes[32] = {40};", "layout", "has 32 bytes"},
           {".global .b8 eagle_layout_sizes[40] = {4x};", "malformed", "'4x'"},
           {".global .b8 eagle_layout_sizes[2] = {1, 2, 3};", "malformed", "more values"},
           {".global .b8 eagle_layout_sizes[99999999999999999999] = {1};", "malformed", "99999999999999999999"},
           {".global .u64 eagle_layout_sizes[2305843009213693957] = {1};", "malformed", "length"},
           {".global eagle_layout_sizes[40] = {1};", "malformed", "''"},
           {".global .pred eagle_layout_sizes[40] = {1};", "malformed", "'red'"},
           {".global .b8 eagle_layout_sizes[40] = {1,", "truncated", "ends inside"},
           {".address_size 63", "malformed", "is 63: 32 or 64"},
           {".address_size 4294967360", "malformed", "is 4294967360"},
           {".global .b8 eagle_layout_sizes[40] = {40Ux};", "malformed", "'40Ux'"},
           {".entry scale( .param .u64 a ) { ret; ", "truncated", "ends inside"},
           {".entry", "truncated", "ends inside"}})
    EXPECT_THAT(eagle::check_image(device_declaration(written(ptx_head + text), "ptx", "scale"), Target::device).findings,
                ElementsAre(finding(code, HasSubstr(message))))
        << text;
}

TEST_F(ImageTest, FindingsAreTextWhateverTheFileHolds) {
  const std::string text = ptx_head + ".global .align 1 .b8 eagle_abi_tag[\xff];";
  const auto findings = eagle::check_image(device_declaration(written(text), "ptx", "scale"), Target::device).findings;
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].message, HasSubstr(R"('\xff' is no number)"));
}

TEST_F(ImageTest, ComparesPtxWithItsDeclaration) {
  const auto check = [&](const std::string& text) {
    return eagle::check_image(device_declaration(written(text), "ptx", "scale"), Target::device).findings;
  };
  const std::string layout = ".global .align 8 .u64 eagle_layout_sizes[5] = {40, 32, 32, 4, 24};\n";
  const std::string kernel = ".visible .entry scale() { ret; }\n";
  EXPECT_THAT(check(ptx_head + ptx_tag + layout + kernel), IsEmpty());
  EXPECT_THAT(check(ptx_head + ptx_tag + layout), ElementsAre(finding("missing-symbol", HasSubstr("no kernel 'scale'"))));
  EXPECT_THAT(check(ptx_head + ptx_tag + layout + ".func scale() { ret; }"),
              ElementsAre(finding("missing-symbol", testing::_)));
  EXPECT_THAT(check(ptx_head + layout + kernel), ElementsAre(finding("abi-tag", HasSubstr("no eagle_abi_tag"))));
  EXPECT_THAT(check(ptx_head + ptx_tag + kernel), ElementsAre(finding("layout", HasSubstr("no eagle_layout_sizes"))));
  EXPECT_THAT(check(".version 8.3\n.target sm_80\n" + ptx_tag + layout + kernel),
              ElementsAre(finding("machine", HasSubstr("32-bit"))));
  const std::string hidden = ptx_head + ptx_tag + layout + '\0' + kernel;  // the driver reads to the zero byte
  EXPECT_THAT(check(hidden), ElementsAre(finding("missing-symbol", testing::_)));
}

}  // namespace
