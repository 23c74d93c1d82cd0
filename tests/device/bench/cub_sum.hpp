// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace device_bench {

/// cub::DeviceReduce::Sum of n samples on the device, whose value comes back to pinned memory.
template <class T>
class CubSum {
 public:
  explicit CubSum(std::int64_t n);
  ~CubSum();
  CubSum(const CubSum&) = delete;
  CubSum& operator=(const CubSum&) = delete;
  void queue(const T* samples, cudaStream_t stream);
  /// Once the stream was waited for.
  [[nodiscard]] T value() const { return *value_; }

 private:
  std::int64_t n_;
  std::size_t bytes_ = 0;
  void* scratch_ = nullptr;
  T* sum_ = nullptr;
  T* value_ = nullptr;
};

}  // namespace device_bench
