// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files (format versions 1 to 3, https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html):
// little-endian arrays of eagle's dtypes, in either order.
#pragma once

#include <filesystem>
#include <memory>

#include <eagle/array.hpp>
#include <eagle/file.hpp>

namespace eagle::npy {

/// A .npy file in memory: mapped, or copied where its data is not aligned. The view lives as long as a copy of this object.
class File {
 public:
  enum class Access { read, private_write };
  /// With private_write the view may be written, and the file never sees it. Error(not_found), Error(io) or, for a file
  /// whose content is not what the format says, Error(argument), naming the file.
  explicit File(const std::filesystem::path& path, Access access = Access::read);
  [[nodiscard]] const ArrayView& view() const noexcept { return view_; }

 private:
  std::shared_ptr<const void> memory_;
  ArrayView view_;
};

/// A place for a .npy file, whose name never shows a part: what is written appears with commit(). Without commit(), and where
/// the program is killed, nothing is left behind (but for file systems without O_TMPFILE, where a kill leaves ".eagle.*").
/// A regular file that is there is replaced; where a link leads to one, the file it leads to.
/// Errors are Error(io), Error(not_found) or, for a place that is no regular file, Error(argument), naming the path.
class Output {
 public:
  /// Refuses a place where commit() would fail: a missing or read-only folder, a folder, a device, a link to nothing.
  explicit Output(std::filesystem::path path);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();
  /// As given.
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// The one name of the file: absolute, links followed.
  [[nodiscard]] const std::filesystem::path& target() const noexcept { return target_; }
  /// Once. An array whose memory is column-major is written as such.
  void write(const ArrayView& array) const;
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path target_;
  std::filesystem::path temporary_;  ///< empty while the file has no name, or has its own
  detail::Descriptor file_;
};

}  // namespace eagle::npy
