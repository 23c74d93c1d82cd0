// SPDX-License-Identifier: Apache-2.0
// Private to eagle::cuda: the kernels of kernels.cu, as far as they were built.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include <eagle/access.hpp>
#include <eagle/array.hpp>

#include "kernel.hpp"

namespace eagle::cuda {

/// eagle's own kernels on one device. All calls queue and return; the device's context is current.
class OwnKernels {
 public:
  /// Whether eagle was built with nvcc.
  static bool built();
  /// Loaded on the first call and kept until the process ends.
  static const OwnKernels& of(const Gpu& gpu);

  /// Sets `count` elements of `size` bytes.
  void fill(void* data, std::int64_t size, std::int64_t count, const std::array<std::byte, 8>& element, Stream stream) const;
  /// Copies between arrays of one shape; the dtypes are equal or widen.
  void copy(const ArrayView& from, const ArrayView& to, Stream stream) const;

 private:
  friend class Folds;
  explicit OwnKernels(const Gpu& gpu);
  void launch(Function function, std::int64_t blocks, int threads, Stream stream, void** params) const;
  void launch_elements(Function function, std::int64_t count, Stream stream, void** params) const;
  const Gpu& gpu_;
  Module module_;
  Function fill_[3] = {};
  Function copy_ = nullptr;
};

/// The two kernels of one reduction: blocks of 1024 samples to terms, and groups of 1024 terms to nodes ten levels up.
class Folds {
 public:
  Folds(const OwnKernels& kernels, Op op, DType dtype, bool compensated);
  void fold(Pointer samples, std::int64_t blocks, Pointer values, Stream stream) const;
  void join(Pointer values, std::int64_t groups, Pointer nodes, Stream stream) const;

 private:
  const OwnKernels& kernels_;
  DType dtype_;
  Function fold_ = nullptr;
  Function join_ = nullptr;
};

}  // namespace eagle::cuda
