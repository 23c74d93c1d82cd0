// SPDX-License-Identifier: Apache-2.0
#include <eagle/library.hpp>

#include <dlfcn.h>

#include <cfenv>
#include <map>
#include <mutex>

#include <eagle/error.hpp>
#include <eagle/image.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle {
namespace {

/// Constructors and destructors of a library may set the thread's floating-point modes; fenv_t holds MXCSR (x86-64) and
/// FPCR (aarch64), that is flushing of subnormals too.
class KeepFloatingPoint {
 public:
  KeepFloatingPoint() { std::fegetenv(&saved_); }
  KeepFloatingPoint(const KeepFloatingPoint&) = delete;
  KeepFloatingPoint& operator=(const KeepFloatingPoint&) = delete;
  ~KeepFloatingPoint() { std::fesetenv(&saved_); }

 private:
  std::fenv_t saved_ = {};
};

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view why) {
  throw Error(Code::bundle, detail::printable(fmt::format("{}: {}", path.string(), why)));
}

[[noreturn]] void fail_with_dlerror(const std::filesystem::path& path, std::string_view what) {
  const char* reason = ::dlerror();  // NOLINT(concurrency-mt-unsafe): each thread has its own
  fail(path, fmt::format("{}: {}", what, reason == nullptr ? "the loader gives no reason" : reason));
}

void close(void* handle) {
  const KeepFloatingPoint keep;
  ::dlclose(handle);
}

bool is_loaded(const std::string& path) {
  void* handle = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle != nullptr) ::dlclose(handle);
  return handle != nullptr;
}

/// Which file was opened under a path, for as long as the loader may still go by that name.
struct Opened {
  std::recursive_mutex mutex;  // recursive: a constructor may open a library
  std::map<std::string, FileIdentity> files;
};

Opened& opened() {
  static Opened instance;
  return instance;
}

void check_unchanged(const Image& image) {
  auto& files = opened().files;
  const auto before = files.find(image.path.string());
  if (before != files.end() && before->second != image.identity && is_loaded(image.path.string()))
    fail(image.path,
         "the file has changed since it was opened, and the old one is still in use: drop every plugin and plan "
         "of it, give the new one another name, or restart");
  files.insert_or_assign(image.path.string(), image.identity);
}

}  // namespace

Library Library::open(const std::filesystem::path& path) { return open(read_image(path)); }

Library Library::open(const Image& image) {
  if (image.defect) fail(image.path, image.defect->message);
  if (image.path.string().find('$') != std::string::npos)
    fail(image.path,
         "the loader replaces $ORIGIN, $LIB and the like in paths and may open another file: use a path without '$'");
  const std::scoped_lock lock(opened().mutex);
  if (file_identity(image.path) != image.identity)
    fail(image.path, "the file has changed since it was checked: load the bundle again");
  check_unchanged(image);
  const KeepFloatingPoint keep;
  void* handle = ::dlopen(image.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) fail_with_dlerror(image.path, "the library cannot be opened");
  return {image.path, std::shared_ptr<void>(handle, close)};
}

void* Library::symbol(const std::string& name) const {
  void* address = ::dlsym(handle_.get(), name.c_str());
  if (address == nullptr) fail_with_dlerror(path_, fmt::format("symbol '{}' cannot be found", name));
  return address;
}

}  // namespace eagle
