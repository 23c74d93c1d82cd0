// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files (format versions 1 to 3, https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html):
// little-endian arrays of eagle's dtypes, in either order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <eagle/array.hpp>
#include <eagle/new_file.hpp>

namespace eagle::npy {

/// What a .npy file says.
struct Content {
  std::size_t start = 0;  ///< the byte where the data begins
  ArrayView array;        ///< how it lies; its data is null
};

/// Of a file of `size` bytes that starts with `head`: all of it, or at least 12 bytes and a header of 1 MiB. Error(argument),
/// naming `path`, where it is not what the format says.
Content content_of(const std::filesystem::path& path, std::string_view head, std::uint64_t size);

/// What stands before the data of an array without gaps, row-major or column-major (`fortran`).
std::string header_of(const ArrayView& array, bool fortran);

/// A .npy file, read into memory: the view may be written, lives as long as a copy of this object, and sees nothing of what
/// becomes of the file.
class File {
 public:
  /// Error(not_found), Error(io), Error(memory) or, for a file whose content is not what the format says, Error(argument),
  /// naming the file.
  explicit File(const std::filesystem::path& path);
  [[nodiscard]] const ArrayView& view() const noexcept { return view_; }

 private:
  std::shared_ptr<const void> memory_;
  ArrayView view_;
};

/// A place for a .npy file, which appears whole with commit() or not at all.
class Output {
 public:
  /// Refuses a place where commit() would fail (detail::NewFile).
  explicit Output(std::filesystem::path path) : file_(std::move(path)) {}
  /// As given.
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return file_.path(); }
  /// The one name of the file: absolute, links followed.
  [[nodiscard]] const std::filesystem::path& target() const noexcept { return file_.target(); }
  /// Once. An array whose memory is column-major is written as such.
  void write(const ArrayView& array) const;
  void commit() { file_.commit(); }

 private:
  detail::NewFile file_;
};

}  // namespace eagle::npy
