// SPDX-License-Identifier: Apache-2.0
#include <eagle/file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <system_error>

#include <eagle/error.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle::detail {
namespace {

[[noreturn]] void fail(Code code, const std::filesystem::path& path, std::string_view why) {
  throw Error(code, fmt::format("{}: {}", printable(cut(path.string(), PATH_MAX)), why));
}

[[noreturn]] void fail_with_errno(const std::filesystem::path& path) {
  const int number = errno;
  const bool missing = number == ENOENT || number == ENOTDIR;
  fail(missing ? Code::not_found : Code::io, path, std::generic_category().message(number));
}

}  // namespace

void refuse_file(const std::filesystem::path& path, const std::string& why) { fail(Code::argument, path, why); }

void fail_file(const std::filesystem::path& path, const char* what, int error) {
  fail(error == ENOENT ? Code::not_found : Code::io, path, fmt::format("{}: {}", what, std::generic_category().message(error)));
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Descriptor open_file(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status = {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) fail_with_errno(path);
  if (!S_ISREG(status.st_mode)) fail(Code::io, path, "is no regular file");
  return file;
}

std::string proc_name(const Descriptor& file) { return fmt::format("/proc/self/fd/{}", file.get()); }

void write_all(const Descriptor& file, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail_file(path, "cannot be written");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string read_file(const std::filesystem::path& path, std::uint64_t most) { return read_file(open_file(path), path, most); }

std::uint64_t size_of(const Descriptor& file, const std::filesystem::path& path) {
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) fail_with_errno(path);
  return static_cast<std::uint64_t>(status.st_size);
}

void read_at(const Descriptor& file, std::uint64_t offset, void* to, std::size_t count, const std::filesystem::path& path) {
  auto* next = static_cast<char*>(to);
  while (count > 0) {
    const ssize_t got = ::pread(file.get(), next, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_with_errno(path);
    if (got == 0) fail(Code::io, path, "was cut short while it was read: read it again when nothing writes it");
    next += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
}

std::string read_file(const Descriptor& file, const std::filesystem::path& path, std::uint64_t most) {
  const std::uint64_t size = size_of(file, path);
  if (size > most) fail(Code::io, path, fmt::format("has {} bytes; at most {} are read", size, most));
  std::string bytes(size, '\0');
  read_at(file, 0, bytes.data(), bytes.size(), path);
  return bytes;
}

}  // namespace eagle::detail
