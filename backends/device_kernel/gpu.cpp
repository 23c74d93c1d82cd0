// SPDX-License-Identifier: Apache-2.0
#include "gpu.hpp"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <eagle/error.hpp>
#include <fmt/format.h>

namespace eagle::cuda {
namespace {

thread_local const Gpu* current = nullptr;  // for messages

}  // namespace

Current::Current(const Gpu& gpu) : before_(std::exchange(current, &gpu)) {
  const int result = driver().push_context(gpu.context());
  if (result == success) return;
  current = before_;
  throw Error(code_of(result), fmt::format("cuCtxPushCurrent failed on {}: {}", gpu.describe(), result_text(result)));
}

Current::~Current() {
  Context popped = nullptr;
  driver().pop_context(&popped);
  current = before_;
}

OwnStream::OwnStream(const Gpu& gpu) : gpu_(gpu) {
  const Current here(gpu);
  check(driver().create_stream(&stream_, non_blocking), "cuStreamCreate");
}

OwnStream::~OwnStream() {
  try {
    const Current here(gpu_);
    driver().destroy_stream(stream_);
  } catch (const Error&) {  // a lost device has no streams
  }
}

Marker::~Marker() {
  try {
    const Current here(gpu_);
    driver().destroy_event(event_);
  } catch (const Error&) {  // a lost device has no events
  }
}

void check(int result, const char* call) {
  if (result == success) return;
  const bool spoils = code_of(result) == Code::body && result != launch_out_of_resources;
  const char* const why = spoils                     ? " (after which CUDA refuses this process every call)"
                          : result == invalid_handle ? " (a stream must be one of this device's primary context, and alive)"
                                                     : "";
  throw Error(code_of(result), fmt::format("{} failed{}: {}{}", call, current == nullptr ? "" : " on " + current->describe(),
                                           result_text(result), why));
}

int Gpu::count() {
  int count = 0;
  check(driver().device_count(&count), "cuDeviceGetCount");
  return count;
}

const Gpu& Gpu::at(int ordinal) {
  static std::mutex mutex;
  static auto& found = *new std::vector<std::unique_ptr<const Gpu>>;  // for what holds one until the process ends
  const int devices = count();
  if (ordinal < 0 || ordinal >= devices)
    throw Error(Code::unavailable,
                fmt::format("there is no cuda:{}: the driver finds {} device{} (CUDA_VISIBLE_DEVICES hides some)", ordinal,
                            devices, devices == 1 ? ", cuda:0" : "s"));
  const std::lock_guard lock(mutex);
  const auto place = static_cast<std::size_t>(ordinal);
  if (found.size() <= place) found.resize(place + 1);
  if (!found[place]) found[place] = std::unique_ptr<const Gpu>(new Gpu(ordinal));
  return *found[place];
}

Gpu::Gpu(int ordinal) : ordinal_(ordinal), name_(name(ordinal)), text_(describe(ordinal)) {
  const Driver& cu = driver();
  int device = 0, pools = 0;
  check(cu.device_get(&device, ordinal), "cuDeviceGet");
  check(cu.device_attribute(&pools, memory_pools, device), "cuDeviceGetAttribute");
  check(cu.device_attribute(&multiprocessors_, DeviceAttribute::multiprocessors, device), "cuDeviceGetAttribute");
  has_pools_ = pools != 0;
  check(cu.primary_context(&context_, device), "cuDevicePrimaryCtxRetain");
  try {
    make_stream();
  } catch (...) {
    cu.release_context(device);
    throw;
  }
}

void Gpu::make_stream() {
  const Current here(*this);
  check(driver().create_stream(&stream_, ordered_with_default), "cuStreamCreate");
}

void Gpu::let_in(const Gpu& other) const {
  int here = 0, there = 0, can = 0;
  check(driver().device_get(&here, ordinal_), "cuDeviceGet");
  check(driver().device_get(&there, other.ordinal_), "cuDeviceGet");
  check(driver().can_access_peer(&can, there, here), "cuDeviceCanAccessPeer");
  if (can == 0 || !has_pools_) return;
  Pool pool = nullptr;
  check(driver().default_pool(&pool, here), "cuDeviceGetDefaultMemPool");
  PoolAccess access;
  access.device = there;
  check(driver().set_pool_access(pool, &access, 1), "cuMemPoolSetAccess");
}

std::string Gpu::name(int ordinal) {
  int device = 0;
  char text[256] = {};
  check(driver().device_get(&device, ordinal), "cuDeviceGet");
  check(driver().device_name(text, sizeof text, device), "cuDeviceGetName");
  return text;
}

std::string Gpu::describe(int ordinal) {
  int device = 0, major = 0, minor = 0;
  check(driver().device_get(&device, ordinal), "cuDeviceGet");
  check(driver().device_attribute(&major, capability_major, device), "cuDeviceGetAttribute");
  check(driver().device_attribute(&minor, capability_minor, device), "cuDeviceGetAttribute");
  return fmt::format("cuda:{} ({}, sm_{}{}, {})", ordinal, name(ordinal), major, minor, version_text(driver()));
}

}  // namespace eagle::cuda
