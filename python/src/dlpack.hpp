// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>

#include <eagle/array.hpp>

#include "place.hpp"

namespace eagle::python {

/// An array that another library lent, and what gives it back when it is destroyed.
struct Borrowed {
  ArrayView view;
  pybind11::object keep;
};

/// eagle::view() of what another library lends; errors read on from "argument 'x' ...".
ArrayView lent_view(void* data, DType dtype, Extents shape, Extents strides, Device device);

/// Borrows the memory of an object that has __dlpack__
/// (https://data-apis.org/array-api/latest/design_topics/data_interchange.html), without a copy; of versioned capsules the
/// read-only flag counts, and bytes are booleans where `wanted` is. The plan uses device memory after what its producer has
/// been given till now. Nothing where host memory has an element type that is none of eagle's. What the object's own
/// __dlpack__ raises comes through; Error(type) where it gives no capsule, or device memory of such a type.
std::optional<Borrowed> from_dlpack(const pybind11::object& object, DType wanted, const Place& place);

/// A capsule of an array, which `owner` holds in memory and whose consumer may let go without the GIL.
pybind11::capsule to_dlpack(const ArrayView& array, std::shared_ptr<const void> owner, bool versioned, bool is_copy);

}  // namespace eagle::python
