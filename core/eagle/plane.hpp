// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core: how a given array is read as a plane of n samples.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <eagle/declaration.hpp>
#include <eagle/value.hpp>

namespace eagle::detail {

/// An array read as a plane: `view` has the head axes first ({}, {w} or {R, C}) and the samples last.
struct PlaneReading {
  ArrayView view;
  bool single = false;  ///< one sample, given without a sample axis
  [[nodiscard]] std::int64_t samples() const noexcept { return view.shape.back(); }
  [[nodiscard]] std::int64_t width() const noexcept { return samples() == 0 ? 0 : view.size() / samples(); }
};

/// Reads the array given for a per-sample argument. Scalars: (n,), or () for a single sample. Vectors: (w, n), (n, w) or
/// (w,). Matrices: (R, C, n), (R*C, n), (n, R, C), (n, R*C) or (R, C). A plane of one component may also be (n,).
/// Error(argument), saying what is accepted, for any other shape and where both axes could count samples and layout does
/// not say which.
PlaneReading read_plane(const Argument& argument, const ArrayView& array, std::optional<Layout> layout);

/// The shapes that a batch may have, for messages: "(3, n) or (n, 3)".
std::string accepted_shapes(const Argument& argument);

/// The plane as component rows, shape (w, n), if a body can address it: samples next to each other, rows at one
/// non-negative stride. Nothing where it has to be copied.
std::optional<ArrayView> as_rows(const PlaneReading& plane);

/// The rows of a bound array: w of component rows (w, n), one of anything else.
std::int64_t rows_of(const ArrayView& array) noexcept;
std::byte* row_of(const ArrayView& array, std::int64_t row) noexcept;

}  // namespace eagle::detail
