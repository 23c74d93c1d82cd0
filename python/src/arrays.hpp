// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include <eagle/declaration.hpp>
#include <eagle/value.hpp>

#include "place.hpp"

namespace eagle::python {

/// What a call gave, as eagle takes it, and the objects that own the memory.
struct Given {
  Values values;
  pybind11::dict keep;  ///< by name, beside what the caller holds
};

/// Converts planes by name for a plugin: NumPy arrays, DLPack and CUDA arrays and buffers as they lie, numbers, and, for
/// inputs, what eagle._arrays makes arrays of. The plan uses device memory after what its producers have been given till now.
/// Errors name the argument.
Given take(const Declaration& plugin, const pybind11::dict& planes, const Place& place);

/// The name of a plane; what is no UTF-8, or holds a NUL, comes as escapes, and so as a name that no plugin knows.
std::string text_of(const pybind11::handle& name);

/// The digits of a Python integer, or how many bits it has where they are many.
std::string integer_text(const pybind11::object& integer);

/// A NumPy array as a view. Nothing where the dtype is none of eagle's, or strides are no multiples of the element size.
/// Bytes count as booleans only where `wanted` is boolean.
std::optional<ArrayView> view_of(const pybind11::array& array, DType wanted);

pybind11::dtype numpy_dtype(DType dtype);
/// A NumPy array over memory that `keep` owns.
pybind11::array numpy_array(const ArrayView& view, pybind11::handle keep);
/// The same over memory that eagle owns.
pybind11::array numpy_array(const ArrayView& view, std::shared_ptr<const void> storage);
/// A NumPy scalar of one element.
pybind11::object numpy_scalar(DType dtype, const void* element);
/// A dtype by its name; Error(type) naming those there are.
DType dtype_named(const std::string& name);

}  // namespace eagle::python
