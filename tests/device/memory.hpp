// SPDX-License-Identifier: Apache-2.0
// Memory and streams of the caller's on stand-in devices.
#pragma once

#include <gmock/gmock.h>

#include <cstring>
#include <utility>
#include <vector>

#include <eagle/array.hpp>
#include <eagle/value.hpp>

#include "driver_api.hpp"

namespace bed {

/// Has a device's context current, as long as it lives.
class Current {
 public:
  explicit Current(int ordinal) {
    static CUcontext contexts[8] = {};
    if (contexts[ordinal] == nullptr) cuDevicePrimaryCtxRetain(&contexts[ordinal], ordinal);
    cuCtxPushCurrent_v2(contexts[ordinal]);
  }
  ~Current() { cuCtxPopCurrent_v2(nullptr); }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
};

/// Bytes of an array on the host, wherever it lies; gapless arrays only.
inline std::vector<std::byte> bytes_of(const eagle::ArrayView& array) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(array.bytes()));
  if (bytes.empty()) return bytes;
  if (array.device.type == eagle::Device::cpu) {
    std::memcpy(bytes.data(), array.data, bytes.size());
    return bytes;
  }
  const Current current(array.device.id);
  EXPECT_EQ(cuMemcpyDtoHAsync_v2(bytes.data(), reinterpret_cast<CUdeviceptr>(array.data), bytes.size(), nullptr), 0);
  return bytes;
}

template <class T>
std::vector<T> values_of(const eagle::ArrayView& array) {
  const std::vector<std::byte> bytes = bytes_of(array);
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

enum class Kind { device, managed, pinned };

/// Memory of the caller's that CUDA knows.
class Memory {
 public:
  explicit Memory(std::size_t bytes, int ordinal = 0, Kind kind = Kind::device) : ordinal_(ordinal), kind_(kind) {
    const Current current(ordinal);
    if (bytes == 0) return;
    void* pinned = nullptr;
    const int result = kind == Kind::device    ? cuMemAlloc_v2(&address_, bytes)
                       : kind == Kind::managed ? cuMemAllocManaged(&address_, bytes, 1)
                                               : cuMemHostAlloc(&pinned, bytes, 0);
    EXPECT_EQ(result, 0);
    if (kind == Kind::pinned) address_ = reinterpret_cast<CUdeviceptr>(pinned);
  }
  template <class T>
  explicit Memory(const std::vector<T>& values, int ordinal = 0, Kind kind = Kind::device)
      : Memory(values.size() * sizeof(T), ordinal, kind) {
    if (values.empty()) return;
    const Current current(ordinal);
    if (kind == Kind::pinned) {
      std::memcpy(data(), values.data(), values.size() * sizeof(T));
    } else {
      EXPECT_EQ(cuMemcpyHtoDAsync_v2(address_, values.data(), values.size() * sizeof(T), nullptr), 0);
      EXPECT_EQ(cuStreamSynchronize(nullptr), 0);
    }
  }
  ~Memory() {
    const Current current(ordinal_);
    if (address_ != 0) static_cast<void>(kind_ == Kind::pinned ? cuMemFreeHost(data()) : cuMemFree_v2(address_));
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  [[nodiscard]] void* data() const { return reinterpret_cast<void*>(address_); }
  [[nodiscard]] eagle::ArrayView view(eagle::DType dtype, eagle::Extents shape, eagle::Extents strides = {}) const {
    const std::int32_t types[] = {eagle::Device::cuda, eagle::Device::cuda_managed, eagle::Device::cuda_host};
    eagle::Device where{types[static_cast<int>(kind_)], kind_ == Kind::pinned ? 0 : ordinal_};
    return eagle::view(data(), dtype, std::move(shape), std::move(strides), where);
  }

 private:
  int ordinal_;
  Kind kind_;
  CUdeviceptr address_ = 0;
};

/// A one-dimensional array on a device.
template <class T>
class OnDevice : public Memory {
 public:
  explicit OnDevice(const std::vector<T>& values, int ordinal = 0, Kind kind = Kind::device)
      : Memory(values, ordinal, kind), count_(static_cast<std::int64_t>(values.size())) {}
  operator eagle::Value() const { return array(); }
  [[nodiscard]] eagle::ArrayView array() const { return Memory::view(eagle::dtype_of<T>(), {count_}); }
  [[nodiscard]] std::vector<T> values() const { return values_of<T>(array()); }

 private:
  std::int64_t count_;
};

/// A stream of the caller's, which is not ordered with others.
class Stream {
 public:
  explicit Stream(int ordinal = 0) : ordinal_(ordinal) {
    const Current current(ordinal);
    EXPECT_EQ(cuStreamCreate(&handle_, 1), 0);
  }
  ~Stream() {
    const Current current(ordinal_);
    cuStreamDestroy_v2(handle_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator void*() const { return handle_; }
  [[nodiscard]] CUstream handle() const { return handle_; }
  void wait() const {
    const Current current(ordinal_);
    EXPECT_EQ(cuStreamSynchronize(handle_), 0);
  }

 private:
  int ordinal_;
  CUstream handle_ = nullptr;
};

}  // namespace bed
