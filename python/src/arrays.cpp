// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <eagle/error.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

#include "dlpack.hpp"
#include "observer.hpp"

namespace py = pybind11;

namespace eagle::python {
namespace {

/// The dtype of a NumPy array in native byte order. One byte of unsigned integer may be a boolean.
std::optional<DType> dtype_of_array(const py::array& array, DType wanted) {
  const py::dtype dtype = array.dtype();
  if (dtype.byteorder() == '>') return std::nullopt;
  const auto size = dtype.itemsize();
  switch (dtype.kind()) {
    case 'f': return size == 8 ? std::optional(DType::float64) : size == 4 ? std::optional(DType::float32) : std::nullopt;
    case 'i': return size == 8 ? std::optional(DType::int64) : size == 4 ? std::optional(DType::int32) : std::nullopt;
    case 'u':
      if (size == 1 && wanted == DType::boolean) return DType::boolean;
      return size == 8 ? std::optional(DType::uint64) : size == 4 ? std::optional(DType::uint32) : std::nullopt;
    case 'b': return DType::boolean;
    default: return std::nullopt;
  }
}

/// Raises what Python has raised; what the object's own method says of it, TypeError and ValueError, as a refusal.
[[noreturn]] void rethrow_of(PyObject* p, const char* method) {
  const py::error_already_set error;
  const bool is_type = error.matches(PyExc_TypeError);
  if (!is_type && !error.matches(PyExc_ValueError)) throw error;
  throw Error(is_type ? Code::type : Code::argument, fmt::format("is a {} whose {} fails: {}", Py_TYPE(p)->tp_name, method,
                                                                 py::str(error.value()).cast<std::string>()));
}

/// An integer as it is, or as a floating-point number where one is due and 64 bits do not hold it.
Number integer_of(PyObject* p, DType wanted) {
  const auto integer = py::reinterpret_steal<py::object>(PyNumber_Index(p));
  if (!integer) rethrow_of(p, "__index__");
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
  if (overflow == 0) return Number(static_cast<std::int64_t>(value));
  const unsigned long long positive = overflow > 0 ? PyLong_AsUnsignedLongLong(integer.ptr()) : 0;
  if (overflow > 0 && PyErr_Occurred() == nullptr) return Number(static_cast<std::uint64_t>(positive));
  PyErr_Clear();
  const double rounded = is_float(wanted) ? PyLong_AsDouble(integer.ptr()) : -1;
  if (is_float(wanted) && PyErr_Occurred() == nullptr) return Number(rounded);
  PyErr_Clear();
  throw Error(Code::argument, fmt::format("is {}, which {} does not hold", integer_text(integer), name(wanted)));
}

std::optional<Number> number_of(const py::handle& object, DType wanted) {
  PyObject* p = object.ptr();
  if (PyFloat_Check(p)) return Number(PyFloat_AS_DOUBLE(p));
  if (PyLong_Check(p) != 0 || PyIndex_Check(p) != 0) return integer_of(p, wanted);
  const auto* as_number = Py_TYPE(p)->tp_as_number;
  if (PyComplex_Check(p) != 0 || as_number == nullptr || as_number->nb_float == nullptr) return std::nullopt;
  const double value = PyFloat_AsDouble(p);
  if (value == -1 && PyErr_Occurred() != nullptr) rethrow_of(p, "__float__");
  if (std::isinf(value) && !object.equal(py::float_(value)))
    throw Error(Code::argument, "is a number that float64 does not hold");
  return Number(value);
}

/// The array of a __cuda_array_interface__. Where it lies the driver says; what it does not know is taken for device memory.
ArrayView from_cuda_array(const py::object& object, DType wanted, const Place& place) {
  using Interface =
      std::tuple<std::uintptr_t, bool, std::string, Extents, std::optional<Extents>, std::optional<std::uintptr_t>>;
  const py::object read = py::module_::import("eagle._lent").attr("interface_of")(object, std::string(name(wanted)));
  auto [address, read_only, dtype, shape, strides, stream] = read.cast<Interface>();
  void* const data = reinterpret_cast<void*>(address);
  Device device = device_of(data);
  if (device.type == Device::cpu) device = {Device::cuda, place.device().id};
  ArrayView array = lent_view(data, dtype_named(dtype), std::move(shape), strides ? std::move(*strides) : Extents(), device);
  array.read_only = read_only;
  if (stream && array.size() > 0) order_after(array, *stream == 1 ? nullptr : reinterpret_cast<void*>(*stream), place);
  return array;
}

bool has(const py::object& object, const char* name) {
  const auto found = py::reinterpret_steal<py::object>(PyObject_GetAttrString(object.ptr(), name));
  if (found) return true;
  if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw py::error_already_set();
  PyErr_Clear();
  return false;
}

/// Whether an exception says something of the object, and not of the interpreter or its user.
bool is_ordinary(const py::error_already_set& error) {
  return error.matches(PyExc_Exception) && !error.matches(PyExc_MemoryError) && !error.matches(PyExc_RecursionError);
}

bool says(const py::object& object, const char* question) {
  return has(object, question) && py::bool_(object.attr(question)());
}

/// An array of another library, where the object is one: by __dlpack__ where it has both protocols, since that orders streams
/// and says devices and read-only memory whatever the library. Error(type) where it does not lend its memory, or lends it with
/// other values than it shows: PyTorch negates and conjugates lazily.
std::optional<Borrowed> borrow(const py::object& object, DType wanted, const Place& place) {
  const auto refuse = [&](const std::string& why) {
    throw Error(Code::type, fmt::format("is a {} that lends no memory: {}", Py_TYPE(object.ptr())->tp_name, why));
  };
  try {
    if (!has(object, "__dlpack__")) {
      if (!has(object, "__cuda_array_interface__")) return std::nullopt;
    } else {
      if (says(object, "is_neg")) refuse("it is negated when read; give x.resolve_neg()");
      if (says(object, "is_conj")) refuse("it is conjugated when read; give x.resolve_conj()");
      return from_dlpack(object, wanted, place);
    }
  } catch (py::error_already_set& error) {
    if (!is_ordinary(error)) throw;
    const bool graph = has(object, "requires_grad") && py::bool_(object.attr("requires_grad"));
    refuse(py::str(error.value()).cast<std::string>() + (graph ? "; it requires grad: give x.detach()" : ""));
  } catch (const py::cast_error& error) {
    refuse(error.what());
  }
  return Borrowed{from_cuda_array(object, wanted, place), object};
}

bool is_masked(const py::array& array) {
  return Py_TYPE(array.ptr()) != py::detail::npy_api::get().PyArray_Type_ && has(array, "filled");
}

/// A NumPy array as it lies. Nothing where it has to be turned into another or into a number.
std::optional<ArrayView> take_array(const Argument& argument, const py::array& array) {
  if (is_masked(array)) throw Error(Code::type, "is a masked array, and masks are not kept: give x.filled(value)");
  if (argument.role == Role::uniform && array.ndim() == 0) return std::nullopt;
  return view_of(array, argument.dtype);
}

Value take_one(const Declaration& plugin, const Argument& argument, const py::object& object, const Place& place,
               py::dict& keep) {
  const bool is_array = py::isinstance<py::array>(object);
  if (is_array) {
    if (const auto array = take_array(argument, py::reinterpret_borrow<py::array>(object))) return *array;
  } else {
    if (PyFloat_Check(object.ptr()) || PyLong_Check(object.ptr())) return *number_of(object, argument.dtype);
    if (auto borrowed = borrow(object, argument.dtype, place)) {
      keep[argument.name.c_str()] = std::move(borrowed->keep);
      return std::move(borrowed->view);
    }
    const bool sequence = PyList_Check(object.ptr()) != 0 || PyTuple_Check(object.ptr()) != 0;
    if (!sequence && PyObject_CheckBuffer(object.ptr()) == 0 && !has(object, "__array__"))
      if (const auto number = number_of(object, argument.dtype)) return *number;
  }
  const bool number = argument.role == Role::uniform;
  const py::object made = py::module_::import("eagle._arrays")
                              .attr("as_array")(object, std::string(name(argument.dtype)), is_output(argument, plugin), number);
  if (py::isinstance<py::array>(made)) {
    if (const auto array = view_of(made, argument.dtype)) {
      if (is_array && !made.is(object) && dtype_of_array(object, argument.dtype) == array->dtype)
        PythonObserver(py::none())
            .warning(fmt::format("plugin '{}': argument '{}' is copied: its strides are no multiples of its elements",
                                 plugin.id, argument.name));
      keep[argument.name.c_str()] = made;
      return *array;
    }
  } else if (const auto value = number_of(made, argument.dtype)) {
    return *value;
  }
  throw Error(Code::type, fmt::format("is a {}: an array or a number is accepted", Py_TYPE(object.ptr())->tp_name));
}

/// The same, with what CUDA knows of host memory.
Value take_known(const Declaration& plugin, const Argument& argument, const py::object& object, const Place& place,
                 py::dict& keep) {
  Value value = take_one(plugin, argument, object, place, keep);
  if (value.array() == nullptr) return value;
  ArrayView array = *value.array();
  recognise(array, place);
  return array;
}

/// Runs f and puts plugin and argument before what it says.
template <class F>
auto naming(const Declaration& plugin, const std::string& argument, F&& f) {
  const auto text = [&](const std::string& why) {
    return fmt::format("plugin '{}': argument '{}' {}", plugin.id, argument, why);
  };
  try {
    return f();
  } catch (const Error& error) {
    throw Error(error.code(), text(error.what()));
  } catch (py::error_already_set& error) {
    if (error.matches(PyExc_TypeError)) throw Error(Code::type, text(py::str(error.value()).cast<std::string>()));
    if (error.matches(PyExc_ValueError)) throw Error(Code::argument, text(py::str(error.value()).cast<std::string>()));
    throw;
  }
}

}  // namespace

std::optional<ArrayView> view_of(const py::array& array, DType wanted) {
  const auto dtype = dtype_of_array(array, wanted);
  if (!dtype) return std::nullopt;
  const auto size = size_of(*dtype);
  ArrayView result;
  result.data = const_cast<void*>(array.data());
  result.dtype = *dtype;
  result.read_only = !array.writeable();
  result.shape.assign(array.shape(), array.shape() + array.ndim());
  result.strides.reserve(result.shape.size());
  for (py::ssize_t axis = 0; axis < array.ndim(); ++axis) {
    if (array.strides(axis) % size != 0 && array.shape(axis) > 1) return std::nullopt;
    result.strides.push_back(array.strides(axis) / size);
  }
  return result;
}

std::string text_of(const py::handle& name) {
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(name.ptr(), &size);
  if (text != nullptr && std::strlen(text) == static_cast<std::size_t>(size)) return text;
  PyErr_Clear();
  return py::repr(name).attr("encode")("ascii", "backslashreplace").attr("decode")("ascii").cast<std::string>();
}

std::string integer_text(const py::object& integer) {
  const auto bits = integer.attr("bit_length")().cast<std::int64_t>();
  return bits <= 256 ? py::str(integer).cast<std::string>() : fmt::format("an integer of {} bits", bits);
}

Given take(const Declaration& plugin, const py::dict& planes, const Place& place) {
  Given given;
  for (const auto& [key, value] : planes) {
    const std::string name = text_of(key);
    const auto object = py::reinterpret_borrow<py::object>(value);
    const auto argument =
        std::find_if(plugin.arguments.begin(), plugin.arguments.end(), [&](const Argument& each) { return each.name == name; });
    // A name that the plugin does not know is refused when names are checked, whatever came with it.
    if (argument == plugin.arguments.end()) given.values.emplace(name, Number(0));
    else
      given.values.emplace(name,
                           naming(plugin, name, [&] { return take_known(plugin, *argument, object, place, given.keep); }));
  }
  return given;
}

py::dtype numpy_dtype(DType dtype) {
  return visit(dtype, [&]<class T>(T) { return dtype == DType::boolean ? py::dtype::of<bool>() : py::dtype::of<T>(); });
}

py::array numpy_array(const ArrayView& view, py::handle keep) {
  std::vector<py::ssize_t> shape(view.shape.begin(), view.shape.end()), strides;
  for (const std::int64_t stride : view.strides) strides.push_back(stride * size_of(view.dtype));
  return py::array(numpy_dtype(view.dtype), std::move(shape), std::move(strides), view.data, keep);
}

py::array numpy_array(const ArrayView& view, std::shared_ptr<const void> storage) {
  auto* const owner = new std::shared_ptr<const void>(std::move(storage));
  const py::capsule keep(owner, [](void* pointer) { delete static_cast<std::shared_ptr<const void>*>(pointer); });
  return numpy_array(view, keep);
}

py::object numpy_scalar(DType dtype, const void* element) {
  return py::array(numpy_dtype(dtype), std::vector<py::ssize_t>{}, element)[py::tuple()];
}

DType dtype_named(const std::string& name) {
  if (const auto dtype = dtype_from(name)) return *dtype;
  throw Error(Code::type, fmt::format("{} is no dtype: float64, float32, int64, int32, uint64, uint32 or bool is accepted",
                                      detail::in_quotes(name)));
}

}  // namespace eagle::python
