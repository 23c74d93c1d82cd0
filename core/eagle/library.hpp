// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace eagle {

struct Image;

/// An open host library. Copies share it, and it is closed with the last of them, so whoever keeps a pointer from symbol()
/// keeps a Library beside it. Closing is what makes a rebuilt plugin loadable again in the same process.
class Library {
 public:
  /// What is opened: the file, which debuggers and profilers find again by its name, or a sealed copy of its bytes in memory,
  /// which nothing can change.
  enum class From : std::uint8_t { file, copy };

  /// Opens the file that was read, which runs its constructors: check it first (check_image). All symbols are bound at once
  /// and stay local to the library. The calling thread's floating-point environment (rounding, traps, flags, flushing of
  /// subnormals), signal mask and locale and the process's locale are left as they were.
  ///
  /// A file that has changed since it was read is refused, and so is one that changes while the loader opens it, of which
  /// constructors may then have run. The loader goes by names, so a file that has taken the place of an open library is refused
  /// too, until the last Library of the old one is gone. A file rewritten in place while it is open changes under the running
  /// code: replace it, as linkers do. None of this concerns a copy.
  ///
  /// Error(bundle), naming the path and the reason; among them a file that is cut off, which would crash the loader, and a
  /// path with a '$', in which the loader would replace words. Error(io) where the system gives no memory for a copy.
  static Library open(const Image& image, From from = From::file);
  /// The same after read_image, with its errors. A path without a slash is a file of the current folder: nothing is searched.
  static Library open(const std::filesystem::path& path);

  /// What open() holds: nobody else opens a library meanwhile, and no child is forked.
  [[nodiscard]] static std::unique_lock<std::recursive_mutex> lock();

  /// The address of a symbol of the library or of what it links; never null. Error(bundle) where there is none.
  [[nodiscard]] void* symbol(const std::string& name) const;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  Library(std::filesystem::path path, std::shared_ptr<void> handle) : path_(std::move(path)), handle_(std::move(handle)) {}
  std::filesystem::path path_;
  std::shared_ptr<void> handle_;
};

}  // namespace eagle
