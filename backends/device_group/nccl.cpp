// SPDX-License-Identifier: Apache-2.0
#include "nccl.hpp"

#include <dlfcn.h>

#include <mutex>
#include <optional>

#include <eagle/error.hpp>
#include <eagle/structures.hpp>
#include <fmt/format.h>

namespace eagle::nccl {
namespace {

constexpr const char* name = "libnccl.so.2";

struct Places {
  std::mutex mutex;
  std::string also;
  std::optional<Library> opened;
};

Places& places() {
  static auto& instance = *new Places;  // for what is let go of when the process ends
  return instance;
}

void* open_file(const std::string& also) {
  void* handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr && !also.empty()) handle = ::dlopen(also.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return handle;
  const char* reason = ::dlerror();  // NOLINT(concurrency-mt-unsafe): each thread has its own
  throw Error(Code::unavailable,
              fmt::format("several devices need NCCL: {}{} was looked for and not found ({}): install NCCL (Debian: libnccl2, "
                          "Spack: nccl, PyPI: nvidia-nccl-cu13), or plan with one device",
                          name, also.empty() ? "" : " and " + also, reason == nullptr ? "the loader gives no reason" : reason));
}

Library open_library(const std::string& also) {
  void* const handle = open_file(also);
  Library library;
  const auto find = [handle](const char* symbol) {
    void* const found = ::dlsym(handle, symbol);
    if (found == nullptr) throw Error(Code::unavailable, fmt::format("{} has no {}: NCCL 2 is needed", name, symbol));
    return found;
  };
#define EAGLE_FIND(member, symbol, parameters) library.member = reinterpret_cast<decltype(library.member)>(find(#symbol));
  EAGLE_NCCL_FUNCTIONS(EAGLE_FIND)
#undef EAGLE_FIND
  library.error_string = reinterpret_cast<decltype(library.error_string)>(find("ncclGetErrorString"));
  if (const int result = library.get_version(&library.version); result != success)
    throw Error(Code::unavailable, fmt::format("{} does not say its version: {}", name, library.error_string(result)));
  return library;
}

}  // namespace

const Library& library() {
  Places& all = places();
  const std::lock_guard lock(all.mutex);
  if (!all.opened) all.opened = open_library(all.also);
  return *all.opened;
}

std::string version_text() {
  const int version = library().version;
  return fmt::format("NCCL {}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
}

void check(int result, const std::string& call) {
  if (result == success) return;
  const char* const text = library().error_string(result);
  throw Error(Code::unavailable, fmt::format("{} failed: {} ({})", call,
                                             text == nullptr ? fmt::format("error {}", result) : text, version_text()));
}

void check_health(Comm comm, const std::string& device) {
  int result = success;
  check(library().async_error(comm, &result), "ncclCommGetAsyncError");
  if (result != success && result != in_progress) check(result, fmt::format("what NCCL was doing on {}", device));
}

}  // namespace eagle::nccl

namespace eagle {

void look_for_nccl_at(const std::string& file) {
  const std::lock_guard lock(nccl::places().mutex);
  nccl::places().also = file;
}

}  // namespace eagle
