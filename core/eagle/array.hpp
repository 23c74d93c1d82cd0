// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <eagle/abi.h>
#include <eagle/dtype.hpp>

namespace eagle {

/// Where memory lives, in DLPack's codes (dlpack.h, DLDeviceType): beside abi.h's CPU and CUDA, host memory that is pinned for
/// CUDA and memory that CUDA moves to where it is used. The id is that of a CUDA device.
struct Device {
  static constexpr std::int32_t cpu = EAGLE_DEVICE_CPU, cuda = EAGLE_DEVICE_CUDA, cuda_host = 3, cuda_managed = 13;
  std::int32_t type = cpu;
  std::int32_t id = 0;
  friend bool operator==(const Device&, const Device&) noexcept = default;
};

/// "cpu", "cuda:1".
std::string to_string(const Device& device);

using Extents = std::vector<std::int64_t>;

/// A borrowed strided array: it owns nothing, and what it points at must outlive its use. Strides count elements and may
/// be negative or zero. An empty shape is one element.
struct ArrayView {
  void* data = nullptr;
  DType dtype = DType::float64;
  Extents shape;
  Extents strides;
  Device device;
  bool read_only = false;

  /// Elements in all.
  [[nodiscard]] std::int64_t size() const noexcept;
  /// Bytes of all elements.
  [[nodiscard]] std::int64_t bytes() const noexcept { return size() * size_of(dtype); }
  /// Whether the elements lie without gaps in row-major (C) order.
  [[nodiscard]] bool is_contiguous() const noexcept;
};

/// Bytes of an array. Error(argument) on negative extents or more than 2^63-1 bytes.
std::int64_t checked_bytes(DType dtype, const Extents& shape);

/// The strides of a gapless row-major array.
Extents row_major_strides(const Extents& shape);

/// "float64 (3, 1000)".
std::string to_string(const ArrayView& array);

/// A view of `data`; empty strides mean gapless row-major. Error(argument) on negative extents, a wrong number of strides,
/// more than 2^63-1 bytes, or null data with elements.
ArrayView view(void* data, DType dtype, Extents shape, Extents strides = {}, Device device = {});
/// The same of data that must not be written.
ArrayView view(const void* data, DType dtype, Extents shape, Extents strides = {}, Device device = {});

/// A one-dimensional view of a contiguous range (std::vector, std::array, std::span); const elements make it read-only.
template <std::ranges::contiguous_range Range>
  requires std::ranges::sized_range<Range> && (std::is_lvalue_reference_v<Range> || std::ranges::borrowed_range<Range>)
ArrayView view(Range&& range) {
  using Element = std::remove_reference_t<std::ranges::range_reference_t<Range>>;
  return view(std::ranges::data(range), dtype_of<Element>(), {static_cast<std::int64_t>(std::ranges::size(range))});
}

/// An array that eagle made: zeroed, row-major.
class Array {
 public:
  Array() = default;
  /// One of memory that has been had elsewhere.
  Array(ArrayView view, std::shared_ptr<void> storage) : storage_(std::move(storage)), view_(std::move(view)) {}
  /// One in host memory, 64-byte aligned.
  /// Error(memory) naming the shape where it cannot be allocated.
  Array(DType dtype, Extents shape);
  [[nodiscard]] const ArrayView& view() const noexcept { return view_; }
  /// What owns the memory: holding it keeps views of the array valid.
  [[nodiscard]] std::shared_ptr<const void> storage() const noexcept { return storage_; }
  /// The elements as T. Error(type) unless T is the array's dtype.
  template <class T>
  [[nodiscard]] T* data() const {
    require(dtype_of<T>());
    return static_cast<T*>(view_.data);
  }

 private:
  void require(DType wanted) const;
  std::shared_ptr<void> storage_;
  ArrayView view_;
};

}  // namespace eagle
