// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

namespace eagle {

struct Image;

/// An open host library. Copies share it, and it is closed with the last of them, so whoever keeps a pointer from symbol()
/// keeps a Library beside it. Closing is what makes a rebuilt plugin loadable again in the same process.
class Library {
 public:
  /// Opens the file that was read, which runs its constructors: check it first (check_image). All symbols are bound at once
  /// and stay local to the library, and the calling thread's floating-point environment (rounding, traps, flags, flushing of
  /// subnormals) is left as it was.
  ///
  /// A file that has changed since it was read is refused. The loader goes by names, so a file that has taken the place of
  /// an open library is refused too, until the last Library of the old one is gone. What changes between these questions and
  /// the loader's own opening of the file is not seen: do not load bundles that others may write. A file rewritten in place
  /// while it is open changes under the running code: replace it, as linkers do.
  ///
  /// Error(bundle), naming the path and the reason; among them a file that is cut off, which would crash the loader, and a
  /// path with a '$', in which the loader would replace words.
  static Library open(const Image& image);
  /// The same after read_image, with its errors. A path without a slash is a file of the current folder: nothing is searched.
  static Library open(const std::filesystem::path& path);

  /// The address of a symbol of the library or of what it links; never null. Error(bundle) where there is none.
  [[nodiscard]] void* symbol(const std::string& name) const;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  Library(std::filesystem::path path, std::shared_ptr<void> handle) : path_(std::move(path)), handle_(std::move(handle)) {}
  std::filesystem::path path_;
  std::shared_ptr<void> handle_;
};

}  // namespace eagle
