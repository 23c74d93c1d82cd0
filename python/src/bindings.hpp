// SPDX-License-Identifier: Apache-2.0
// What eagle._core is made of: one function a file, each adding its part to the module.
#pragma once

#include <pybind11/pybind11.h>

namespace eagle::python {

void bind_errors(pybind11::module_& module);
void bind_plugins(pybind11::module_& module);
void bind_plans(pybind11::module_& module);
void bind_device_arrays(pybind11::module_& module);
void bind_reductions(pybind11::module_& module);

}  // namespace eagle::python
