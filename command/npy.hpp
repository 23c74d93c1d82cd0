// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files (format versions 1 to 3, https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html):
// little-endian arrays of eagle's dtypes, in either order.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <eagle/array.hpp>

namespace eagle::npy {

/// A mapped .npy file. The view lives as long as a copy of this object.
class File {
 public:
  enum class Access { read, private_write };
  /// With private_write the view may be written, and the file never sees it. Error(not_found), Error(io) or, for a file
  /// whose content is not what the format says, Error(argument), naming the file.
  explicit File(const std::filesystem::path& path, Access access = Access::read);
  [[nodiscard]] const ArrayView& view() const noexcept { return view_; }

 private:
  std::shared_ptr<void> mapping_;
  ArrayView view_;
};

/// An array written as a .npy file under a temporary name beside its place. commit() renames it into place, so that the
/// name never shows a part; without commit() nothing is left behind. An array whose memory is column-major is written as
/// such. Errors are Error(io), naming the file.
class Staged {
 public:
  Staged(std::filesystem::path path, const ArrayView& array);
  Staged(Staged&&) noexcept;
  Staged& operator=(Staged&&) = delete;
  ~Staged();
  void commit();

 private:
  std::filesystem::path path_;
  std::string temporary_;  ///< empty once renamed
};

}  // namespace eagle::npy
