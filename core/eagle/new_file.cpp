// SPDX-License-Identifier: Apache-2.0
#include <eagle/new_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace eagle::detail {
namespace fs = std::filesystem;

namespace {

/// The one name of the file that a path stands for.
fs::path target_of(const fs::path& path) {
  struct stat info = {};
  std::error_code error;
  if (::stat(path.c_str(), &info) == 0) {
    if (!S_ISREG(info.st_mode)) refuse_file(path, "is no regular file, and nothing else is replaced");
    if (::access(path.c_str(), W_OK) != 0) fail_file(path, "cannot be written");
    fs::path target = fs::canonical(path, error);
    if (error) fail_file(path, "cannot be written", error.value());
    return target;
  }
  if (errno != ENOENT) fail_file(path, "cannot be written");
  if (fs::is_symlink(path, error)) refuse_file(path, "is a link to nothing: remove it, or name the file itself");
  const fs::path folder = fs::canonical(path.has_parent_path() ? path.parent_path() : ".", error);
  if (error) fail_file(path, "its folder cannot be found", error.value());
  return folder / path.filename();
}

/// A new file in a folder without a name, or with none where that cannot be.
Descriptor open_unnamed(const fs::path& folder, ::mode_t mode) {
  Descriptor file(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode));
  if (file.get() >= 0 && ::access(proc_name(file).c_str(), F_OK) != 0) return Descriptor(-1);
  return file;
}

/// Calls `make` with names beside a file until it finds one that is not taken; the name then, or "" with errno.
template <class Make>
fs::path make_beside(const fs::path& target, const Make& make) {
  for (int k = 0;; ++k) {
    fs::path name = target.parent_path() / fmt::format(".eagle.{}.{}", ::getpid(), k);
    if (make(name.c_str())) return name;
    if (errno != EEXIST) return {};
  }
}

/// Gives a new file the access list of another, where that has one; whether it then has the same.
bool take_access_list(const fs::path& from, const Descriptor& file) noexcept {
  constexpr const char* name = "system.posix_acl_access";
  std::array<char, 65536> list;  // an attribute has no more bytes
  const ssize_t size = ::getxattr(from.c_str(), name, list.data(), list.size());
  return size <= 0 || ::fsetxattr(file.get(), name, list.data(), static_cast<std::size_t>(size), 0) == 0;
}

/// Gives a new file the permissions and, as far as the system allows, the owner of the one that it is to replace: never more
/// to anybody but who writes it.
void become_like(const fs::path& target, const struct stat& old, const Descriptor& file) noexcept {
  const bool has_owner = ::fchown(file.get(), old.st_uid, old.st_gid) == 0;
  const bool has_group = has_owner || ::fchown(file.get(), -1, old.st_gid) == 0;
  ::mode_t mode = old.st_mode & 0777;
  if (!has_owner) mode |= 0600;
  if (!has_group) mode = (mode & 0700) | (mode & mode >> 3 & 07);
  static_cast<void>(::fchmod(file.get(), mode));  // some file systems have no modes
  if (!take_access_list(target, file)) static_cast<void>(::fchmod(file.get(), mode & 0700));
}

}  // namespace

fs::path make_folder_of(const fs::path& file) {
  fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail_file(file, "its folder cannot be made", error.value());
  return folder;
}

NewFile::NewFile(fs::path path) : path_(std::move(path)), target_(target_of(path_)), file_(-1) {
  struct stat old = {};
  const bool replaces = ::stat(target_.c_str(), &old) == 0;
  const ::mode_t mode = replaces ? 0600 : 0666;  // less what the umask takes
  file_ = open_unnamed(target_.parent_path(), mode);
  if (file_.get() < 0)
    temporary_ = make_beside(target_, [&](const char* name) {
      file_ = Descriptor(::open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode));
      return file_.get() >= 0;
    });
  if (file_.get() < 0) fail_file(path_, "cannot be created");
  if (replaces) become_like(target_, old, file_);
}

NewFile::~NewFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void NewFile::write(std::string_view bytes) const { write_all(file_, bytes, path_); }

void NewFile::commit() {
  const auto link = [&](const char* name) {
    return ::linkat(AT_FDCWD, proc_name(file_).c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
  };
  if (temporary_.empty()) {
    if (link(target_.c_str())) return;
    if (errno != EEXIST) fail_file(path_, "cannot be put into its place");
    temporary_ = make_beside(target_, link);
  }
  if (temporary_.empty() || ::rename(temporary_.c_str(), target_.c_str()) != 0)
    fail_file(path_, "cannot be put into its place");
  temporary_.clear();
}

}  // namespace eagle::detail
