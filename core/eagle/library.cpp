// SPDX-License-Identifier: Apache-2.0
#include <eagle/library.hpp>

#include <dlfcn.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <sys/mman.h>

#include <cfenv>
#include <csignal>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include <eagle/error.hpp>
#include <eagle/file.hpp>
#include <eagle/image.hpp>
#include <eagle/mapping.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle {
namespace {

/// Constructors and destructors of a library may set the thread's floating-point modes (fenv_t holds MXCSR on x86-64 and FPCR
/// on aarch64, that is flushing of subnormals too), its signal mask and locale, and the process's locale.
class KeepState {
 public:
  KeepState() noexcept : locale_(locale()), own_locale_(::uselocale(nullptr)) {
    std::fegetenv(&floating_point_);
    ::pthread_sigmask(SIG_SETMASK, nullptr, &signals_);
  }
  KeepState(const KeepState&) = delete;
  KeepState& operator=(const KeepState&) = delete;
  ~KeepState() {
    std::fesetenv(&floating_point_);
    ::pthread_sigmask(SIG_SETMASK, &signals_, nullptr);
    if (!locale_.empty() && locale_ != ::setlocale(LC_ALL, nullptr))  // NOLINT(concurrency-mt-unsafe)
      ::setlocale(LC_ALL, locale_.c_str());                           // NOLINT(concurrency-mt-unsafe)
    ::uselocale(own_locale_);
  }

 private:
  /// Empty where there is no memory for the name: a library is let go all the same.
  static std::string locale() noexcept try {
    return ::setlocale(LC_ALL, nullptr);  // NOLINT(concurrency-mt-unsafe)
  } catch (const std::bad_alloc&) {
    return {};
  }

  std::string locale_;
  ::locale_t own_locale_;
  std::fenv_t floating_point_ = {};
  ::sigset_t signals_ = {};
};

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view why) {
  throw Error(Code::bundle, detail::printable(fmt::format("{}: {}", path.string(), why)));
}

[[noreturn]] void fail_with_dlerror(const std::filesystem::path& path, std::string_view what) {
  const char* reason = ::dlerror();  // NOLINT(concurrency-mt-unsafe): each thread has its own
  fail(path, fmt::format("{}: {}", what, reason == nullptr ? "the loader gives no reason" : reason));
}

/// Whether the loader has a library of this name.
bool is_loaded(const std::string& path) {
  void* handle = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle != nullptr) ::dlclose(handle);
  return handle != nullptr;
}

/// What dlopen() gives for a name; `last` has to outlive it and is let go after dlclose().
std::shared_ptr<void> open_handle(const std::filesystem::path& path, const std::string& name, std::string_view what,
                                  std::shared_ptr<void> last) {
  const KeepState keep;
  void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) fail_with_dlerror(path, what);
  return {handle, [last = std::move(last)](void* open) {
            const KeepState also;
            ::dlclose(open);
          }};
}

/// Which file was opened under a path, for as long as the loader may still go by that name.
struct Opened {
  std::recursive_mutex mutex;  // recursive: a constructor may open a library
  std::map<std::string, FileIdentity> files;
};

Opened& opened() {
  static Opened* const all = new Opened;  // outlives every static object, of which one may hold a library
  return *all;
}

/// A child is forked with no library half open, and has a mutex of its own: the parent's thread would have to unlock the other.
[[maybe_unused]] const int watch_forks = ::pthread_atfork([] { opened().mutex.lock(); }, [] { opened().mutex.unlock(); },
                                                          [] { std::construct_at(&opened().mutex); });

/// Notes what is opened under its path, until what this gives is gone and the loader no longer goes by that name.
std::shared_ptr<void> note_unchanged(const Image& image) {
  auto& files = opened().files;
  const std::string path = image.path.string();
  const auto before = files.find(path);
  if (before != files.end() && !before->second.resembles(image.identity) && is_loaded(path))
    fail(image.path,
         "the file has changed since it was opened, and the old one is still in use: drop every plugin and plan "
         "of it, give the new one another name, or restart");
  files.insert_or_assign(path, image.identity);
  return {&files, [path](void*) {
            const std::scoped_lock lock(opened().mutex);
            if (!is_loaded(path)) opened().files.erase(path);
          }};
}

/// Whether a file has the bytes that were read, though it may have other links and permissions since.
bool is_unchanged(const Image& image, const FileIdentity& now) {
  if (now == image.identity) return true;
  return now.resembles(image.identity) && detail::read_file(image.path, image.bytes->size()) == *image.bytes;
}

std::shared_ptr<void> open_file(const Image& image) {
  if (image.path.string().find('$') != std::string::npos)
    fail(image.path,
         "the loader replaces $ORIGIN, $LIB and the like in paths and may open another file: use a path without '$'");
  const std::scoped_lock lock(opened().mutex);
  const FileIdentity now = file_identity(image.path);
  if (!is_unchanged(image, now)) fail(image.path, "the file has changed since it was checked: load the bundle again");
  auto handle = open_handle(image.path, image.path.string(), "the library cannot be opened", note_unchanged(image));
  if (!detail::is_mapped_from(handle.get(), *image.bytes) || file_identity(image.path) != now)
    fail(image.path, "the file has changed while it was opened: load the bundle again when nothing writes it");
  return handle;
}

detail::Descriptor sealed_copy(const Image& image) {
  detail::Descriptor copy(
      ::memfd_create(image.path.filename().string().substr(0, 200).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (copy.get() < 0) detail::fail_file(image.path, "its copy in memory cannot be made");
  detail::write_all(copy, *image.bytes, image.path);
  if (::fcntl(copy.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0)
    detail::fail_file(image.path, "its copy in memory cannot be sealed");
  return copy;
}

/// The loader goes by names, and a name is this copy's for as long as its descriptor is open: longer than the library, where
/// the loader keeps that.
std::shared_ptr<void> open_copy(const Image& image) {
  auto copy = std::make_unique<detail::Descriptor>(sealed_copy(image));
  const std::string name = detail::proc_name(*copy);
  const std::shared_ptr<detail::Descriptor> last(copy.release(), [name](detail::Descriptor* open) {
    if (!is_loaded(name)) delete open;
  });
  auto handle =
      open_handle(image.path, name, "the sealed copy, which finds no library beside it by $ORIGIN, cannot be opened", last);
  if (!detail::is_mapped_from(handle.get(), *image.bytes)) fail(image.path, "the loader has opened another file than the copy");
  return handle;
}

}  // namespace

Library Library::open(const std::filesystem::path& path) { return open(read_image(path)); }

Library Library::open(const Image& image, From from) {
  if (image.defect) fail(image.path, image.defect->message);
  return {image.path, from == From::copy ? open_copy(image) : open_file(image)};
}

std::unique_lock<std::recursive_mutex> Library::lock() { return std::unique_lock(opened().mutex); }

void* Library::symbol(const std::string& name) const {
  void* address = ::dlsym(handle_.get(), name.c_str());
  if (address == nullptr) fail_with_dlerror(path_, fmt::format("symbol '{}' cannot be found", name));
  return address;
}

}  // namespace eagle
