// SPDX-License-Identifier: Apache-2.0
// Private to eagle, not installed: files that are written whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>

#include <eagle/file.hpp>

namespace eagle::detail {

/// Makes the folder that a file lies in, where it is missing, and gives its path. Error(io), Error(not_found) naming the file.
std::filesystem::path make_folder_of(const std::filesystem::path& file);

/// A place for a file, whose name never shows a part: what is written appears with commit(). Without commit(), and where
/// the program is killed, nothing is left behind (but for file systems without O_TMPFILE, where a kill leaves ".eagle.*").
/// A regular file that is there is replaced, and its permissions and owner stay; where a link leads to one, the file it leads
/// to. Errors are Error(io), Error(not_found) or, for a place that is no regular file, Error(argument), naming the path.
class NewFile {
 public:
  /// Refuses a place where commit() would fail: a missing or read-only folder, a folder, a device, a link to nothing.
  explicit NewFile(std::filesystem::path path);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();
  /// As given.
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// The one name of the file: absolute, links followed.
  [[nodiscard]] const std::filesystem::path& target() const noexcept { return target_; }
  /// Adds bytes at the end.
  void write(std::string_view bytes) const;
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path target_;
  std::filesystem::path temporary_;  ///< empty while the file has no name, or has its own
  Descriptor file_;
};

}  // namespace eagle::detail
