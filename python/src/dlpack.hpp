// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <optional>

#include <eagle/array.hpp>

namespace eagle::python {

/// An array that another library lent, and what gives it back when it is destroyed.
struct Borrowed {
  ArrayView view;
  pybind11::object keep;
};

/// Borrows the memory of an object that has __dlpack__
/// (https://data-apis.org/array-api/latest/design_topics/data_interchange.html), without a copy; of versioned capsules the
/// read-only flag counts, and bytes are booleans where `wanted` is. Nothing where the element type is none of eagle's. What the
/// object's own __dlpack__ raises comes through; Error(type) where it gives no capsule.
std::optional<Borrowed> from_dlpack(const pybind11::object& object, DType wanted);

}  // namespace eagle::python
