// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <eagle/error.hpp>
#include <eagle/text.hpp>

#include "bindings.hpp"

namespace py = pybind11;

namespace eagle::python {
namespace {

/// Raises the class of eagle.errors that stands for the code. What a signal handler has raised meanwhile comes first.
void raise(const Error& error) {
  if (PyErr_Occurred() != nullptr) return;
  const std::string code(name(error.code()));
  try {
    const py::object made = py::module_::import("eagle.errors").attr("make")(code, detail::valid_utf8(error.what()));
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
  } catch (py::error_already_set& e) {
    e.restore();
  }
}

}  // namespace

void bind_errors(py::module_&) {
  py::register_local_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const Error& error) {
      raise(error);
    }
  });
}

}  // namespace eagle::python
