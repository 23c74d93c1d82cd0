// SPDX-License-Identifier: Apache-2.0
#include <eagle/array.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <eagle/error.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace eagle {
namespace {

std::string shape_text(const Extents& shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape[0]) : fmt::format("({})", fmt::join(shape, ", "));
}

/// Refuses strides that lead further than 2^63-1 bytes.
void check_reach(DType dtype, const Extents& shape, const Extents& strides) {
  std::int64_t reach = size_of(dtype);
  for (std::size_t k = 0; k < shape.size(); ++k) {
    std::int64_t axis = 0;
    if (strides[k] == std::numeric_limits<std::int64_t>::min() ||
        __builtin_mul_overflow(shape[k] - 1, strides[k] < 0 ? -strides[k] : strides[k], &axis) ||
        __builtin_mul_overflow(axis, size_of(dtype), &axis) || __builtin_add_overflow(reach, axis, &reach))
      throw Error(Code::argument, fmt::format("strides ({}) of shape {} reach too far to address", fmt::join(strides, ", "),
                                              shape_text(shape)));
  }
}

}  // namespace

std::int64_t checked_bytes(DType dtype, const Extents& shape) {
  std::int64_t bytes = size_of(dtype);
  bool empty = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) throw Error(Code::argument, fmt::format("shape {} has a negative extent", shape_text(shape)));
    empty = empty || extent == 0;
  }
  if (empty) return 0;
  for (const std::int64_t extent : shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      throw Error(Code::argument, fmt::format("shape {} of {} is too large to address", shape_text(shape), name(dtype)));
  return bytes;
}

std::string to_string(const Device& device) {
  if (device.type == Device::cpu) return "cpu";
  if (device.type == Device::cuda) return fmt::format("cuda:{}", device.id);
  if (device.type == Device::cuda_host) return "pinned host memory";
  if (device.type == Device::cuda_managed) return "managed memory";
  return fmt::format("device type {}:{}", device.type, device.id);
}

std::int64_t ArrayView::size() const noexcept {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) elements *= extent;
  return elements;
}

bool ArrayView::is_contiguous() const noexcept {
  if (size() == 0) return true;
  std::int64_t expected = 1;
  for (std::size_t k = shape.size(); k-- > 0;) {
    if (shape[k] != 1 && strides[k] != expected) return false;
    expected *= shape[k];
  }
  return true;
}

Extents row_major_strides(const Extents& shape) {
  Extents strides(shape.size());
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return strides;
  std::int64_t stride = 1;
  for (std::size_t k = shape.size(); k-- > 0;) {
    strides[k] = stride;
    stride *= shape[k];
  }
  return strides;
}

std::string to_string(const ArrayView& array) { return fmt::format("{} {}", name(array.dtype), shape_text(array.shape)); }

ArrayView view(void* data, DType dtype, Extents shape, Extents strides, Device device) {
  const std::int64_t bytes = checked_bytes(dtype, shape);
  if (bytes > 0 && data == nullptr)
    throw Error(Code::argument, fmt::format("null data for an array of shape {}", shape_text(shape)));
  if (strides.empty()) strides = row_major_strides(shape);
  if (strides.size() != shape.size())
    throw Error(Code::argument, fmt::format("{} strides for shape {}", strides.size(), shape_text(shape)));
  if (bytes > 0) check_reach(dtype, shape, strides);
  return {data, dtype, std::move(shape), std::move(strides), device, false};
}

ArrayView view(const void* data, DType dtype, Extents shape, Extents strides, Device device) {
  ArrayView result = view(const_cast<void*>(data), dtype, std::move(shape), std::move(strides), device);
  result.read_only = true;
  return result;
}

Array::Array(DType dtype, Extents shape) {
  const std::int64_t bytes = checked_bytes(dtype, shape);
  constexpr std::int64_t alignment = 64;
  // calloc's pages come zeroed from the system without being touched; the alignment is taken out of a longer block.
  void* block = bytes > std::numeric_limits<std::int64_t>::max() - alignment
                    ? nullptr
                    : std::calloc(1, static_cast<std::size_t>(bytes + alignment));
  if (block == nullptr) throw Error(Code::memory, fmt::format("no memory for an array {} {}", name(dtype), shape_text(shape)));
  storage_ = std::shared_ptr<void>(block, std::free);
  auto address = reinterpret_cast<std::uintptr_t>(block);
  address = (address + alignment - 1) / alignment * alignment;
  view_ = eagle::view(reinterpret_cast<void*>(address), dtype, std::move(shape));
}

void Array::require(DType wanted) const {
  if (wanted != view_.dtype)
    throw Error(Code::type, fmt::format("the array is {} and {} was asked for", name(view_.dtype), name(wanted)));
}

}  // namespace eagle
