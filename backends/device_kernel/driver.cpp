// SPDX-License-Identifier: Apache-2.0
#include "driver.hpp"

#include <dlfcn.h>

#include <atomic>
#include <mutex>

#include <eagle/error.hpp>
#include <fmt/format.h>

namespace eagle::cuda {
namespace {

constexpr const char* library = "libcuda.so.1";

[[noreturn]] void unavailable(const std::string& why) {
  throw Error(Code::unavailable, fmt::format("no CUDA device can be used: {}", why));
}

Driver open_driver() {
  void* const handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = ::dlerror();  // NOLINT(concurrency-mt-unsafe): each thread has its own
    unavailable(fmt::format("the driver library {} was looked for and not found ({}): install NVIDIA's driver", library,
                            reason == nullptr ? "the loader gives no reason" : reason));
  }
  Driver driver;
  const auto symbol = [handle](const char* name) { return ::dlsym(handle, name); };
#define EAGLE_FIND(member, name, parameters)                                \
  driver.member = reinterpret_cast<decltype(driver.member)>(symbol(#name)); \
  if (driver.member == nullptr)                                             \
    unavailable(fmt::format("{} has no {}: a driver of CUDA 12 or newer is needed", library, #name));
  EAGLE_DRIVER_FUNCTIONS(EAGLE_FIND)
#undef EAGLE_FIND
  driver.parameter_info = reinterpret_cast<decltype(driver.parameter_info)>(symbol("cuFuncGetParamInfo"));
  return driver;
}

void initialise(Driver& driver) {
  const auto text = [&driver](int result) {
    const char* name = nullptr;
    return driver.error_name(result, &name) == success && name != nullptr ? std::string(name) : fmt::format("error {}", result);
  };
  if (const int result = driver.init(0); result != success)
    unavailable(fmt::format("the driver in {} does not start (cuInit: {})", library, text(result)));
  int count = 0;
  if (const int result = driver.driver_version(&driver.version); result != success)
    unavailable(fmt::format("the driver in {} does not say its version ({})", library, text(result)));
  if (const int result = driver.device_count(&count); result != success || count == 0)
    unavailable(fmt::format("the driver in {} ({}) finds no device{}: look at nvidia-smi and CUDA_VISIBLE_DEVICES", library,
                            version_text(driver),
                            result == success ? "" : fmt::format(" (cuDeviceGetCount: {})", text(result))));
}

}  // namespace

const Driver& driver() {
  static std::atomic<const Driver*> ready = nullptr;
  static std::mutex mutex;
  static Driver opened;
  if (const Driver* found = ready.load(std::memory_order_acquire)) return *found;
  const std::lock_guard lock(mutex);
  if (ready.load(std::memory_order_relaxed) == nullptr) {
    opened = open_driver();
    initialise(opened);
    ready.store(&opened, std::memory_order_release);
  }
  return opened;
}

std::string version_text(const Driver& driver) {
  return fmt::format("CUDA {}.{}", driver.version / 1000, driver.version % 1000 / 10);
}

std::string result_text(int result) {
  const char *name = nullptr, *text = nullptr;
  if (driver().error_name(result, &name) != success || name == nullptr) return fmt::format("CUDA error {}", result);
  if (driver().error_string(result, &text) != success || text == nullptr) return name;
  return fmt::format("{}: {}", name, text);
}

Code code_of(int result) {
  switch (result) {
    case out_of_memory: return Code::memory;
    case invalid_handle: return Code::argument;
    case device_unavailable:
    case no_device:
    case invalid_device:
    case ecc_uncorrectable:
    case nvlink_uncorrectable:
    case contained: return Code::unavailable;
    case invalid_image:
    case no_binary_for_device:
    case invalid_ptx:
    case unsupported_ptx_version: return Code::bundle;
    default: break;
  }
  // What a kernel did: 700 to 719 but for what concerns peers and contexts.
  const bool fault = result == illegal_address || (result >= launch_out_of_resources && result <= 703) || result == 710 ||
                     (result >= 714 && result <= launch_failed);
  return fault ? Code::body : Code::internal;
}

}  // namespace eagle::cuda
