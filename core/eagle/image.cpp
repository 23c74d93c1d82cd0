// SPDX-License-Identifier: Apache-2.0
#include <eagle/image.hpp>

#include <sys/stat.h>

#include <algorithm>

#include <eagle/bytes.hpp>
#include <eagle/elf.hpp>
#include <eagle/file.hpp>
#include <eagle/names.hpp>
#include <eagle/ptx.hpp>

namespace eagle {
namespace {

constexpr std::string_view fatbin_magic = "\x50\xed\x55\xba";
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;

/// Magic, version and size of the header, then the size of what follows.
void read_fatbin(std::string_view file, Image& image) {
  image.kind = ImageKind::fatbin;
  const auto header = detail::load<std::uint16_t>(file, 6, "the fatbin header");
  const auto content = detail::load<std::uint64_t>(file, 8, "the fatbin header");
  detail::part(file, header, content, "the content of the fatbin");
}

void read_content(std::string_view file, Image& image) {
  if (detail::is_elf(file)) detail::read_elf(file, image);
  else if (file.starts_with(fatbin_magic)) read_fatbin(file, image);
  else if (detail::is_ptx(file)) detail::read_ptx(file, image);
}

}  // namespace

std::string_view name(ImageKind kind) noexcept {
  static constexpr std::string_view names[] = {"host", "cubin", "ptx", "fatbin", "unknown"};
  return detail::name_of(names, kind);
}

bool Image::has_symbol(std::string_view symbol) const noexcept {
  return std::ranges::find(functions, symbol) != functions.end();
}

FileIdentity file_identity(const std::filesystem::path& path) noexcept {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec,
          status.st_mtim.tv_nsec};
}

Image read_image(const std::filesystem::path& path) {
  Image image;
  image.path = std::filesystem::absolute(path);
  image.identity = file_identity(image.path);  // before the bytes: a file that changes meanwhile is then another one
  const std::string file = detail::read_file(image.path, most_bytes);
  try {
    read_content(file, image);
  } catch (const detail::Defect& defect) {
    image.defect = Finding{defect.code, "", image.path.filename().string(), defect.message};
  }
  return image;
}

}  // namespace eagle
