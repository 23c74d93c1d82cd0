// SPDX-License-Identifier: Apache-2.0
// Private to eagle, not installed: files as bytes.
#pragma once

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
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

/// A regular file, open for reading and never waited for. Error(not_found) where there is none; Error(io) where it cannot be
/// opened or is no regular file.
Descriptor open_file(const std::filesystem::path& path);
/// Where the system finds an open file again, whatever has become of its name.
std::string proc_name(const Descriptor& file);

/// Writes all bytes; `path` is what Error(io) calls the file.
void write_all(const Descriptor& file, std::string_view bytes, const std::filesystem::path& path);

/// How many bytes an open file has. Error(io).
std::uint64_t size_of(const Descriptor& file, const std::filesystem::path& path);
/// Reads `count` bytes from `offset` on. Error(io) where they cannot be read or are not there.
void read_at(const Descriptor& file, std::uint64_t offset, void* to, std::size_t count, const std::filesystem::path& path);

/// All bytes of an open file; `path` is what errors call it. Error(io) where it cannot be read, is cut short meanwhile, or has
/// more than `most` bytes.
std::string read_file(const Descriptor& file, const std::filesystem::path& path, std::uint64_t most);
/// The same after open_file, with its errors.
std::string read_file(const std::filesystem::path& path, std::uint64_t most);

}  // namespace eagle::detail
