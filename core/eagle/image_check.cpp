// SPDX-License-Identifier: Apache-2.0
#include <eagle/image_check.hpp>

#include <elf.h>

#include <optional>
#include <string>
#include <string_view>

#include <eagle/abi.h>
#include <eagle/error.hpp>
#include <eagle/image_reading.hpp>
#include <eagle/names.hpp>
#include <eagle/paths.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle {
namespace {

using detail::in_quotes;
using detail::some_of;

#if defined(__x86_64__)
constexpr std::uint16_t own_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t own_machine = EM_AARCH64;
#else
#error "name this machine's e_machine here and in machine_name"
#endif

std::string machine_name(std::uint16_t machine) {
  if (machine == EM_X86_64) return "x86-64";
  if (machine == EM_AARCH64) return "aarch64";
  return fmt::format("machine {}", machine);
}

std::string describe(const Image& image) {
  switch (image.kind) {
    case ImageKind::host: return fmt::format("an ELF file for {}", machine_name(image.machine));
    case ImageKind::cubin: return "a cubin";
    case ImageKind::ptx: return "PTX";
    case ImageKind::fatbin: return "a fatbin";
    case ImageKind::unknown: break;
  }
  return image.identity.bytes == 0 ? "empty" : "neither ELF nor PTX nor a fatbin";
}

class Check {
 public:
  Check(const Declaration& declaration, Target target)
      : declaration_(declaration),
        file_(target == Target::host ? declaration.host_artifact.value_or(declaration.artifact) : declaration.artifact),
        is_host_(target == Target::host) {}

  ImageCheck run() && {
    if (!declaration_.ships(is_host_ ? Target::host : Target::device)) {
      refuse("target", fmt::format("{} is asked for and not shipped: exec_targets must list it", is_host_ ? "host" : "device"));
    } else if (read() && has_format() && is_whole() && fits_machine() && image().kind != ImageKind::fatbin) {
      check_entry();
      check_tag();
      check_layout();
    }
    return std::move(result_);
  }

 private:
  const Image& image() const { return result_.image; }

  void refuse(std::string code, std::string message) {
    result_.findings.push_back({std::move(code), declaration_.id, file_.filename().string(), std::move(message)});
  }

  bool read() try {
    result_.image = declaration_.manifest.empty() ? read_image(file_) : read_inside(declaration_.manifest.parent_path());
    return true;
  } catch (const Error& error) {
    refuse(std::string(detail::finding_code(error.code())), error.what());
    return false;
  }

  Image read_inside(const std::filesystem::path& root) const {
    const detail::BundleFile file = detail::open_inside(root, file_, detail::printable(file_.string()));
    return detail::read_image(file.descriptor, file.path);
  }

  bool has_format() {
    const std::string_view wanted = is_host_ ? "host" : std::string_view(declaration_.format);
    if (name(image().kind) == wanted) return true;
    refuse("format", fmt::format("the file is {}, and format {} is declared: ship such a file, or correct the format",
                                 describe(image()), in_quotes(wanted)));
    return false;
  }

  bool is_whole() {
    const std::optional<Finding>& defect = image().defect;
    if (defect) refuse(defect->code, defect->message);
    return !defect;
  }

  bool fits_machine() {
    const std::size_t before = result_.findings.size();
    if (image().kind != ImageKind::fatbin && (image().bits != 64 || !image().little_endian))
      refuse("machine",
             fmt::format("the file is {}-bit, {}-endian; 64-bit, little-endian is accepted: build it for this machine",
                         image().bits, image().little_endian ? "little" : "big"));
    if (is_host_ && image().machine != own_machine)
      refuse("machine", fmt::format("the library is for {}, and this machine is {}: build it here or with a compiler for {}",
                                    machine_name(image().machine), machine_name(own_machine), machine_name(own_machine)));
    if (is_host_ && image().type != ET_DYN)
      refuse("format", fmt::format("the file is ELF of type {}; a shared library, type {}, is accepted: link it with -shared",
                                   image().type, ET_DYN));
    if (image().kind == ImageKind::cubin && image().type != ET_EXEC)
      refuse("format", fmt::format("the file is a cubin of type {}; a linked one, type {}, is accepted: build it without -rdc",
                                   image().type, ET_EXEC));
    return result_.findings.size() == before;
  }

  void check_entry() {
    const std::string& entry = is_host_ ? declaration_.host_entry : declaration_.kernel;
    if (image().has_symbol(entry)) return;
    const std::string near = detail::near_name(entry, image().functions);
    refuse("missing-symbol",
           fmt::format("the file has no {} {}{}; it has {}: declare it {}, or correct the sidecar's {}",
                       is_host_ ? "exported function" : "kernel", in_quotes(entry),
                       near.empty() ? "" : fmt::format(" (did you mean {}?)", in_quotes(near)), some_of(image().functions),
                       is_host_ ? "extern \"C\" with default visibility" : "extern \"C\" __global__",
                       is_host_ ? "host_entry" : "kernel"));
  }

  void check_tag() {
    const std::string& wanted = declaration_.aether_abi;
    const std::optional<std::string>& found = image().abi_tag;
    if (!found) {
      if (!declaration_.is_v1())
        refuse("abi-tag",
               fmt::format("the file has no eagle_abi_tag; the char array {} is needed: export it", in_quotes(wanted)));
    } else if (*found != wanted) {
      refuse("abi-tag", fmt::format("eagle_abi_tag is {}, and {} is declared: rebuild the artifact, or correct the declaration",
                                    in_quotes(*found), in_quotes(wanted)));
    }
  }

  void check_layout() {
    struct Word {
      std::string_view name;
      std::uint64_t accepted, or_else;
    };
    static constexpr Word words[EAGLE_LAYOUT_WORDS] = {
        {"GRefMirror", 40, 40}, {"ScalarHandle", 32, 32}, {"IntHandle", 32, 32}, {"index", 4, 8}, {"PartitionTriple", 24, 24}};
    const auto& layout = image().layout_words;
    if (!layout) {
      if (!declaration_.is_v1())
        refuse("layout", "the file has no eagle_layout_sizes; the 64-bit words 40, 32, 32, 4 or 8, 24 are needed: export them");
      return;
    }
    for (std::size_t k = 0; k < std::size(words); ++k) {
      const auto& [word, accepted, or_else] = words[k];
      const std::uint64_t found = (*layout)[k];
      if (found != accepted && found != or_else)
        refuse("layout", fmt::format("eagle_layout_sizes says that {} has {} bytes; {}{} is accepted: rebuild the artifact",
                                     word, found, accepted, or_else == accepted ? "" : fmt::format(" or {}", or_else)));
    }
  }

  const Declaration& declaration_;
  const std::filesystem::path file_;
  const bool is_host_;
  ImageCheck result_;
};

}  // namespace

ImageCheck check_image(const Declaration& declaration, Target target) { return Check(declaration, target).run(); }

}  // namespace eagle
