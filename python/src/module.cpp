// SPDX-License-Identifier: Apache-2.0
#include "bindings.hpp"

#include <eagle/structures.hpp>

#ifdef Py_GIL_DISABLED
#error "eagle: free-threaded CPython is not supported: build for the ordinary one"
#endif

namespace py = pybind11;

namespace {

py::list structures() {
  py::list all;
  for (const auto& [kind, built, detail] : eagle::structures())
    all.append(py::make_tuple(py::str(std::string(eagle::name(kind))), built, detail));
  return all;
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled half of eagle: nothing here is public but through the package.";
  module.attr("version") = EAGLE_VERSION;
  module.def("structures", structures, "(name, built, detail) of each structure; starts no runtime.");
  module.def("device_count", eagle::device_count, "How many CUDA devices there are; starts the driver and no device.");
  module.def("devices", eagle::devices, "All CUDA devices, for people.");
  eagle::python::bind_errors(module);
  eagle::python::bind_plugins(module);
  eagle::python::bind_device_arrays(module);
  eagle::python::bind_plans(module);
  eagle::python::bind_reductions(module);
}
