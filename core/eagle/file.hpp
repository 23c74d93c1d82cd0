// SPDX-License-Identifier: Apache-2.0
// Private to eagle, not installed: files as bytes.
#pragma once

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace eagle::detail {

/// Error(argument): "path: why".
[[noreturn]] void refuse_file(const std::filesystem::path& path, const std::string& why);
/// Error(not_found) or Error(io) of the system's `error`: "path: what: why".
[[noreturn]] void fail_file(const std::filesystem::path& path, const char* what, int error = errno);

/// Owns a file descriptor; a negative one is none.
class Descriptor {
 public:
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();
  [[nodiscard]] int get() const noexcept { return fd_; }

 private:
  int fd_;
};

/// All bytes of a regular file, which is never waited for. Error(not_found) where there is none; Error(io) where it cannot
/// be read, is no regular file, or has more than `most` bytes.
std::string read_file(const std::filesystem::path& path, std::uint64_t most);

}  // namespace eagle::detail
