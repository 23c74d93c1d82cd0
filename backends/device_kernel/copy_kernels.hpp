// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "device_kernel/kernel_block.hpp"
#include "device_kernel/kernels.hpp"

/// The bodies of the kernels that fill and copy.
namespace eagle::detail {

template <class Word, class Block>
EAGLE_BODY void fill(Block block, void* data, long long count, unsigned long long pattern) {
  for_each_element(block, count, [&](long long k) { static_cast<Word*>(data)[k] = static_cast<Word>(pattern); });
}

/// A NaN keeps its sign and payload and becomes quiet, as on hosts: devices may give any NaN.
template <class To, class From>
EAGLE_BODY To converted(From x) {
  if constexpr (std::is_same_v<From, float> && std::is_same_v<To, double>) {
    const auto bits = __builtin_bit_cast(std::uint32_t, x);
    const std::uint64_t sign = bits >> 31, payload = bits & 0x7fffffU;
    if (x != x) return __builtin_bit_cast(double, sign << 63 | 0x7ff8000000000000ULL | payload << 29);
  }
  return static_cast<To>(x);
}

/// Calls f with a value-initialised element of the dtype: eagle::visit, for device code.
template <class F>
EAGLE_BODY void visit_element(DType dtype, F f) {
  switch (dtype) {
    case DType::float64: return f(double{});
    case DType::float32: return f(float{});
    case DType::int64: return f(std::int64_t{});
    case DType::int32: return f(std::int32_t{});
    case DType::uint64: return f(std::uint64_t{});
    case DType::uint32: return f(std::uint32_t{});
    case DType::boolean: return f(std::uint8_t{});
  }
}

/// Which type it is, is asked for each element: all threads go the same way, and the loop is there once.
template <class Block>
EAGLE_BODY void copy_strided(Block block, const StridedCopy& copy) {
  for_each_element(block, copy.count, [&](long long k) {
    auto rest = static_cast<unsigned long long>(k);
    long long source = 0, target = 0;
    EAGLE_NO_UNROLL
    for (int axis = copy.rank - 1; axis >= 0; --axis) {
      const auto extent = static_cast<unsigned long long>(copy.extents[axis]);
      const auto at = static_cast<long long>(axis == 0 ? rest : rest % extent);
      rest = axis == 0 ? 0 : rest / extent;
      source += at * copy.from_strides[axis];
      target += at * copy.to_strides[axis];
    }
    visit_element(copy.from_dtype, [&]<class From>(From) {
      visit_element(copy.to_dtype, [&]<class To>(To) {
        if constexpr (widens_to<From, To>)
          static_cast<To*>(copy.to)[target] = converted<To>(static_cast<const From*>(copy.from)[source]);
      });
    });
  });
}

}  // namespace eagle::detail
