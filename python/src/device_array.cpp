// SPDX-License-Identifier: Apache-2.0
#include "device_array.hpp"

#include <pybind11/stl.h>

#include <optional>
#include <utility>

#include <eagle/error.hpp>
#include <fmt/format.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "dlpack.hpp"
#include "gil.hpp"

namespace py = pybind11;

namespace eagle::python {
namespace {

using Pair = std::pair<std::int32_t, std::int32_t>;

[[noreturn]] void buffer_error(const std::string& text) {
  PyErr_SetString(PyExc_BufferError, text.c_str());
  throw py::error_already_set();
}

py::tuple tuple_of(const Extents& extents) {
  py::tuple all(extents.size());
  for (std::size_t k = 0; k < extents.size(); ++k) all[k] = extents[k];
  return all;
}

/// The stream that a consumer names, as the protocol numbers them; nothing where it orders by itself.
std::optional<void*> consumer_stream(const py::object& stream) {
  if (stream.is_none()) return nullptr;
  constexpr const char* accepted = "None or 1 (legacy default), 2 (per thread), a handle, or -1 (no order) is accepted";
  if (PyLong_Check(stream.ptr()) == 0 || PyBool_Check(stream.ptr()) != 0)
    throw Error(Code::type, fmt::format("stream is a {}: {}", Py_TYPE(stream.ptr())->tp_name, accepted));
  if (stream.equal(py::int_(-1))) return std::nullopt;
  const auto handle = PyLong_AsUnsignedLongLong(stream.ptr());
  if (PyErr_Occurred() != nullptr || handle == 0) {
    PyErr_Clear();
    throw Error(Code::argument, fmt::format("stream is {}: {}", integer_text(stream), accepted));
  }
  return handle == 1 ? nullptr : reinterpret_cast<void*>(handle);
}

/// Two integers, as versions and devices are in the protocol.
Pair pair_of(const char* name, const py::object& given, const char* due) {
  try {
    return given.cast<Pair>();
  } catch (const py::cast_error&) {
    throw Error(Code::type, fmt::format("{} is {}: {} is due", name, py::repr(given).cast<std::string>(), due));
  }
}

std::string described(const DeviceArray& array) {
  return fmt::format("<eagle.DeviceArray '{}' {} on {}>", array.name(), to_string(array.array()),
                     to_string(array.array().device));
}

}  // namespace

void Origin::set_stream(std::optional<void*> stream, py::object owner) {
  launched_on_ = stream;
  of_launch_ = std::move(owner);
}

DeviceStream Origin::stream(int device) const {
  const DeviceStream own = memory().stream(device).value();
  return {device, device == memory().device().id ? launched_on_.value_or(own.stream) : own.stream};
}

py::tuple DeviceArray::strides() const {
  Extents bytes = array_.strides;
  for (std::int64_t& each : bytes) each *= size_of(array_.dtype);
  return tuple_of(bytes);
}

py::dict DeviceArray::cuda_array_interface() const {
  py::dict interface;
  interface["shape"] = tuple_of(array_.shape);
  interface["typestr"] = numpy_dtype(array_.dtype).attr("str");
  interface["data"] = py::make_tuple(reinterpret_cast<std::uintptr_t>(array_.data), false);
  interface["strides"] = py::none();
  interface["stream"] = number_of(kept_->origin->stream(array_.device.id).stream);
  interface["version"] = 3;
  return interface;
}

void DeviceArray::order_memory() const {
  order_streams(kept_->origin->stream(array_.device.id), memory().stream(array_.device.id).value());
}

py::object DeviceArray::dlpack(const py::object& stream, const py::object& max_version, const py::object& dl_device,
                               const py::object& copy) const {
  const bool versioned = !max_version.is_none() && pair_of("max_version", max_version, "a pair (major, minor)").first >= 1;
  const bool must_copy = !copy.is_none() && py::bool_(copy), may_copy = copy.is_none() || must_copy;
  const Device here = array_.device;
  const Pair asked = dl_device.is_none() ? Pair(here.type, here.id) : pair_of("dl_device", dl_device, "a pair (type, id)");
  if (asked.first == Device::cpu) {
    if (!may_copy) buffer_error(fmt::format("{} is asked for in host memory without a copy", described(*this)));
    return copy_to_host().attr("__dlpack__")(py::arg("max_version") = max_version);
  }
  if (asked != Pair(here.type, here.id))
    buffer_error(fmt::format("{} is asked for on {}", described(*this), to_string(Device{asked.first, asked.second})));
  const std::optional<void*> consumer = consumer_stream(stream);
  DeviceArray given = *this;
  if (must_copy) {
    order_memory();
    const WithoutGil release;
    const Array made = memory().make(array_.dtype, array_.shape);
    memory().copy(array_, made.view());
    given = {name_, made.view(), made.storage(), kept_->origin};
  } else if (consumer) {
    order_streams(kept_->origin->stream(array_.device.id), {here.id, *consumer});
  }
  return to_dlpack(given.array_, given.kept_, versioned, must_copy);
}

py::array DeviceArray::copy_to_host() const {
  const Array here(array_.dtype, array_.shape);
  order_memory();
  {
    const WithoutGil release;
    memory().copy(array_, here.view());
  }
  return numpy_array(here.view(), here.storage());
}

void bind_device_arrays(py::module_& module) {
  py::class_<DeviceArray>(module, "DeviceArray", R"(An output that a plan made on a CUDA device.

It goes on without a copy by ``cupy.asarray(y)``, ``torch.from_dlpack(y)`` or ``jax.dlpack.from_dlpack(y)``, in the order of
the stream that wrote it, and to the host by :meth:`copy_to_host`. Whatever it was given to keeps its memory.)",
                          py::module_local())
      .def_property_readonly("name", &DeviceArray::name, "The output's name.")
      .def_property_readonly(
          "dtype", [](const DeviceArray& self) { return numpy_dtype(self.array().dtype); }, "A NumPy dtype.")
      .def_property_readonly(
          "shape", [](const DeviceArray& self) { return tuple_of(self.array().shape); }, "Elements along each axis.")
      .def_property_readonly("strides", &DeviceArray::strides, "Bytes from one element to the next along each axis.")
      .def_property_readonly(
          "device", [](const DeviceArray& self) { return to_string(self.array().device); }, "Where it lies, \"cuda:0\".")
      .def("copy_to_host", &DeviceArray::copy_to_host, "A NumPy array of its elements, once they are written.")
      .def_property_readonly("__cuda_array_interface__", &DeviceArray::cuda_array_interface)
      .def("__dlpack__", &DeviceArray::dlpack, py::kw_only(), py::arg("stream") = py::none(),
           py::arg("max_version") = py::none(), py::arg("dl_device") = py::none(), py::arg("copy") = py::none())
      .def("__dlpack_device__",
           [](const DeviceArray& self) { return py::make_tuple(self.array().device.type, self.array().device.id); })
      .def(
          "__array__",
          [](const DeviceArray& self, const py::object&, const py::object&) -> py::object {
            throw Error(Code::type, fmt::format("{} is no array of the host, and is not copied unasked: call copy_to_host()",
                                                described(self)));
          },
          py::arg("dtype") = py::none(), py::arg("copy") = py::none())
      .def("__repr__", described);
}

}  // namespace eagle::python
