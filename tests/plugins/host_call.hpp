// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <array>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include <eagle/abi.h>

/// A loaded host library; never closed, as a test ends soon.
inline void* symbol(const std::string& library, const std::string& name) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw std::runtime_error(dlerror());
  void* found = dlsym(handle, name.c_str());
  if (!found) throw std::runtime_error(dlerror());
  return found;
}

/// The library of a worked bundle.
inline std::string library_of(const std::string& plugin) {
  return std::string(EAGLE_TEST_BUNDLES) + "/" + plugin + "/" + plugin + ".so";
}

using Parts = std::vector<PartitionTriple>;

/// One call of a host entry with boxes made by hand, in arg_spec order.
class HostCall {
 public:
  explicit HostCall(void* entry) : entry_(reinterpret_cast<eagle_host_entry_v2>(entry)) {}
  explicit HostCall(const std::string& plugin) : HostCall(symbol(library_of(plugin), plugin + "_host")) {}

  template <class T>
  HostCall& value(T value) {
    static_assert(sizeof(T) <= sizeof(Box));
    std::memcpy(boxes_.emplace_back().data(), &value, sizeof(T));
    return *this;
  }
  template <class T>
  HostCall& scalar(T* data, std::size_t samples) {
    return value(ScalarHandle{address(data), samples, 1, EAGLE_DEVICE_CPU, 0});
  }
  template <class Vector>
  HostCall& scalar(Vector& data) {
    return scalar(data.data(), data.size());
  }
  /// A component-major plane of n samples.
  template <class Vector>
  HostCall& plane(Vector& data, std::size_t n) {
    return value(GRefMirror{address(data.data()), n, n, 1, EAGLE_DEVICE_CPU, 0});
  }

  void run(const Parts& parts) {
    std::vector<void*> params;
    for (Box& box : boxes_) params.push_back(box.data());
    for (const PartitionTriple& part : parts) entry_(params.data(), part.base, part.count, part.nSamples);
  }

 private:
  struct alignas(8) Box : std::array<char, 40> {};

  template <class T>
  static void* address(const T* data) {
    return const_cast<T*>(data);
  }

  eagle_host_entry_v2 entry_;
  std::deque<Box> boxes_;
};
