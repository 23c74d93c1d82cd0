// SPDX-License-Identifier: Apache-2.0
#include <eagle/image.hpp>

#include <sys/stat.h>

#include <algorithm>

#include <eagle/bytes.hpp>
#include <eagle/elf.hpp>
#include <eagle/file.hpp>
#include <eagle/image_reading.hpp>
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

FileIdentity identity_of(const struct stat& status) noexcept {
  return {status.st_dev,         status.st_ino,          static_cast<std::uint64_t>(status.st_size),
          status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
          status.st_ctim.tv_nsec};
}

}  // namespace

void detail::read_content(std::string_view file, Image& image) {
  try {
    if (is_elf(file)) read_elf(file, image);
    else if (file.starts_with(fatbin_magic)) read_fatbin(file, image);
    else if (is_ptx(file)) read_ptx(file, image);
  } catch (const Defect& defect) {
    image.defect = Finding{defect.code, "", image.path.filename().string(), defect.message};
  }
}

std::string_view name(ImageKind kind) noexcept {
  static constexpr std::string_view names[] = {"host", "cubin", "ptx", "fatbin", "unknown"};
  return detail::name_of(names, kind);
}

bool Image::has_symbol(std::string_view symbol) const noexcept {
  return std::ranges::find(functions, symbol) != functions.end();
}

FileIdentity file_identity(const std::filesystem::path& path) noexcept {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 ? identity_of(status) : FileIdentity{};
}

Image read_image(const std::filesystem::path& path) {
  const std::filesystem::path file = std::filesystem::absolute(path);
  return detail::read_image(detail::open_file(file), file);
}

Image detail::read_image(const Descriptor& file, const std::filesystem::path& path) {
  Image image;
  image.path = path;
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) fail_file(path, "cannot be read");
  image.identity = identity_of(status);  // before the bytes: a file that changes meanwhile is then another one
  image.bytes = std::make_shared<const std::string>(read_file(file, path, most_bytes));
  read_content(*image.bytes, image);
  return image;
}

}  // namespace eagle
