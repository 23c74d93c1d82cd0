// SPDX-License-Identifier: Apache-2.0
#include <eagle/paths.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <eagle/error.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle::detail {
namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& called, int error) {
  throw Error(error == ENOENT || error == ENOTDIR ? Code::not_found : Code::io,
              fmt::format("{}: {}", called, std::generic_category().message(error)));
}

/// O_PATH opens nothing that would answer: no device, no FIFO.
Descriptor open_path(int folder, const fs::path& path, int flags, const std::string& called) {
  Descriptor file(::openat(folder, path.c_str(), O_PATH | O_CLOEXEC | flags));
  if (file.get() < 0) fail(called, errno);
  return file;
}

/// The name, links followed, of what is open.
fs::path path_of(const Descriptor& file, const std::string& called) {
  std::error_code error;
  fs::path path = fs::read_symlink(proc_name(file), error);
  if (error)
    throw Error(Code::io, called + ": whether it lies inside the bundle is looked up in /proc, which is missing: mount it");
  return path;
}

}  // namespace

bool is_inside(const Reader& place, std::string_view key, std::string_view path) {
  const fs::path given(path);
  const bool climbs = std::ranges::find(given, fs::path("..")) != given.end();
  if (!climbs && !given.is_absolute()) return true;
  place.refuse("path", key,
               fmt::format("{} {} {}: name a file of the bundle by its path inside it", key, in_quotes(path),
                           climbs ? "climbs with '..'" : "is absolute"));
  return false;
}

fs::path place_inside(const fs::path& folder, const Descriptor& file, const std::string& called) {
  fs::path place = path_of(file, called);
  if (std::ranges::mismatch(folder, place).in1 != folder.end())
    throw Error(Code::bundle,
                fmt::format("{} leads out of the bundle, to {}: put the file itself there", called, in_quotes(place.string())));
  return place;
}

BundleFile open_inside(const fs::path& root, const fs::path& path, const std::string& called) {
  const Descriptor folder = open_path(AT_FDCWD, root, O_DIRECTORY, called);
  const Descriptor found = open_path(folder.get(), path, 0, called);
  const fs::path top = path_of(folder, called);
  fs::path file = place_inside(top, found, called);
  if (const std::string inside = file.lexically_relative(top).string(); printable(inside) != inside)
    throw Error(Code::bundle,
                fmt::format("{} leads to {}: a name of printable characters is accepted", called, in_quotes(inside)));
  struct stat status = {};
  if (::fstat(found.get(), &status) != 0) fail(called, errno);
  if (!S_ISREG(status.st_mode)) throw Error(Code::not_found, called + " is no regular file");
  Descriptor readable(::open(proc_name(found).c_str(), O_RDONLY | O_CLOEXEC));
  if (readable.get() < 0) fail(called, errno);
  return {std::move(readable), std::move(file)};
}

std::optional<BundleFile> open_named(const Reader& place, std::string_view key, const fs::path& root, std::string_view path) {
  try {
    return open_inside(root, fs::path(path), fmt::format("{} {}", key, in_quotes(path)));
  } catch (const Error& error) {
    place.refuse(finding_code(error.code()), key, error.what());
    return std::nullopt;
  }
}

std::string_view finding_code(Code code) noexcept {
  return code == Code::bundle ? "path" : code == Code::not_found ? "not-found" : "unreadable";
}

}  // namespace eagle::detail
