// SPDX-License-Identifier: Apache-2.0
#include <eagle/file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <eagle/error.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle::detail {
namespace {

[[noreturn]] void fail(Code code, const std::filesystem::path& path, std::string_view why) {
  throw Error(code, fmt::format("{}: {}", printable(path.string()), why));
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

std::string read_file(const std::filesystem::path& path, std::uint64_t most) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status = {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) fail_with_errno(path);
  if (!S_ISREG(status.st_mode)) fail(Code::io, path, "is no regular file");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > most) fail(Code::io, path, fmt::format("has {} bytes; at most {} are read", size, most));
  std::string bytes(size, '\0');
  std::size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + at, bytes.size() - at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_with_errno(path);
    if (got == 0) break;
    at += static_cast<std::size_t>(got);
  }
  bytes.resize(at);
  return bytes;
}

}  // namespace eagle::detail
