// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core: copies between strided arrays.
#pragma once

#include <eagle/array.hpp>
#include <eagle/dtype.hpp>

namespace eagle::detail {

/// Whether `from` widens to `to` by NumPy's 'safe' rule; by that, integers of 64 bits beyond 2^53 are rounded to float64.
bool widens(DType from, DType to) noexcept;

/// Copies `from` into `to`, which has the same shape; the dtypes are equal or widen.
void copy(const ArrayView& from, const ArrayView& to);

/// Whether two elements of one array may be the same memory.
bool repeats_elements(const ArrayView& array);

/// Whether two arrays share a byte. Exact, but for arrays so intricate that finding out takes too long: those may.
bool may_overlap(const ArrayView& a, const ArrayView& b);

}  // namespace eagle::detail
