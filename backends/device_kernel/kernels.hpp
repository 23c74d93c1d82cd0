// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <eagle/dtype.hpp>
#include <eagle/tree.hpp>

/// eagle's own kernels, as those who launch them see them. Their bodies are in reduction_kernels.hpp and copy_kernels.hpp.
///
///   eagle_fold_<op>_<dtype>(const T* samples, long long blocks, Term<T>* values)
///       values[b] is the canonical term of the whole block of samples [1024 b, 1024 b + 1024), which are not lifted yet and
///       aligned to 16 bytes
///   eagle_join_<op>_<dtype>(const Term<T>* values, long long groups, Term<T>* nodes)
///       nodes[g] is the node over values [1024 g, 1024 g + 1024), ten levels up
///   eagle_fill_<1, 4 or 8>(void* data, long long count, unsigned long long pattern)
///       the low bytes of the pattern into each of `count` elements of so many bytes
///   eagle_copy(StridedCopy)
///
/// <op>_<dtype> is sum, times, max or land of float64, float32, int64, int32, uint64 or uint32, and sum_float64_compensated
/// or sum_float32_compensated. What is read and what is written must not overlap. A Term that carries no error has e = 0.
namespace eagle::detail {

/// Threads of a thread block: a launch has exactly these, in one dimension, and no dynamic shared memory. No result depends on
/// how many thread blocks are launched. Good are, for a fold, one for each `folded_at_once` blocks; for a join, one for each
/// group; for the others, one for each `element_threads` elements, but no more than 32 for each multiprocessor.
constexpr int fold_threads = 256, join_threads = 512, element_threads = 256;

/// Values that a join takes to one node, and the levels between them.
constexpr std::int64_t join_values = 1024;
constexpr int join_levels = 10;

/// Lanes of a block that one thread holds: neighbours, 16 bytes of a row.
template <Reducible T>
constexpr int neighbours = 16 / sizeof(T);

/// Blocks that a thread block folds at a time.
template <Reducible T>
constexpr std::int64_t folded_at_once = fold_threads * neighbours<T> / lanes;

/// The most axes of a StridedCopy.
constexpr int copied_axes = 8;

/// What eagle_copy copies: `count` elements, all of `rank` axes in row-major order of their indices. The strides count
/// elements, and may be negative or zero. The dtypes are equal or widen (convert.hpp); otherwise nothing is copied.
struct StridedCopy {
  const void* from = nullptr;
  void* to = nullptr;
  DType from_dtype = DType::float64;
  DType to_dtype = DType::float64;
  std::int32_t rank = 0;
  long long count = 0;
  long long extents[copied_axes] = {};
  long long from_strides[copied_axes] = {};
  long long to_strides[copied_axes] = {};
};

/// DO(name, operator, type, compensated) for each reduction.
#define EAGLE_EACH_REDUCTION(DO)                        \
  EAGLE_EACH_OPERATOR(DO, float64, double)              \
  EAGLE_EACH_OPERATOR(DO, float32, float)               \
  EAGLE_EACH_OPERATOR(DO, int64, std::int64_t)          \
  EAGLE_EACH_OPERATOR(DO, int32, std::int32_t)          \
  EAGLE_EACH_OPERATOR(DO, uint64, std::uint64_t)        \
  EAGLE_EACH_OPERATOR(DO, uint32, std::uint32_t)        \
  DO(sum_float64_compensated, eagle::Sum, double, true) \
  DO(sum_float32_compensated, eagle::Sum, float, true)
#define EAGLE_EACH_OPERATOR(DO, dtype, T)   \
  DO(sum_##dtype, eagle::Sum, T, false)     \
  DO(times_##dtype, eagle::Times, T, false) \
  DO(max_##dtype, eagle::Max, T, false)     \
  DO(land_##dtype, eagle::Land, T, false)

}  // namespace eagle::detail
