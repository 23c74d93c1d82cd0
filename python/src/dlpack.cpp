// SPDX-License-Identifier: Apache-2.0
#include "dlpack.hpp"

#include <cstdint>

#include <eagle/error.hpp>
#include <fmt/format.h>

namespace py = pybind11;

namespace eagle::python {
namespace {

// The structs of the DLPack ABI, versions 0 and 1 (https://dmlc.github.io/dlpack/latest/c_api.html).
struct Tensor {
  void* data;
  std::int32_t device_type;
  std::int32_t device_id;
  std::int32_t ndim;
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
struct Managed {
  Tensor tensor;
  void* context;
  void (*deleter)(Managed*);
};
struct ManagedVersioned {
  std::uint32_t major;
  std::uint32_t minor;
  void* context;
  void (*deleter)(ManagedVersioned*);
  std::uint64_t flags;
  Tensor tensor;
};
constexpr std::uint64_t read_only_flag = 1;

std::optional<DType> dtype_of_tensor(const Tensor& tensor, DType wanted) {
  enum { Int = 0, UInt = 1, Float = 2, Bool = 6 };
  if (tensor.lanes != 1) return std::nullopt;
  const auto is = [&](int code, int bits) { return tensor.code == code && tensor.bits == bits; };
  if (is(Float, 64)) return DType::float64;
  if (is(Float, 32)) return DType::float32;
  if (is(Int, 64)) return DType::int64;
  if (is(Int, 32)) return DType::int32;
  if (is(UInt, 64)) return DType::uint64;
  if (is(UInt, 32)) return DType::uint32;
  if (is(Bool, 8) || (is(UInt, 8) && wanted == DType::boolean)) return DType::boolean;
  return std::nullopt;
}

std::optional<ArrayView> view_of(const Tensor& tensor, DType wanted, bool read_only) {
  const auto dtype = dtype_of_tensor(tensor, wanted);
  if (!dtype) return std::nullopt;
  Extents shape(tensor.shape, tensor.shape + tensor.ndim);
  Extents strides =
      tensor.strides == nullptr ? row_major_strides(shape) : Extents(tensor.strides, tensor.strides + tensor.ndim);
  auto* data = static_cast<std::byte*>(tensor.data);
  if (data != nullptr) data += tensor.byte_offset;
  ArrayView array =
      view(static_cast<void*>(data), *dtype, std::move(shape), std::move(strides), {tensor.device_type, tensor.device_id});
  array.read_only = read_only;
  return array;
}

/// Takes a capsule over and gives its memory back when the returned object dies.
template <class T>
py::object own(const py::capsule& capsule, T* managed, const char* used_name) {
  if (PyCapsule_SetName(capsule.ptr(), used_name) != 0) throw py::error_already_set();
  return py::capsule(managed, [](void* pointer) {
    auto* owned = static_cast<T*>(pointer);
    if (owned->deleter != nullptr) owned->deleter(owned);
  });
}

py::object capsule_of(const py::object& object) {
  const py::object method = object.attr("__dlpack__");
  try {
    return method(py::arg("max_version") = py::make_tuple(1, 1));
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_TypeError)) throw;  // producers older than versions do not know the argument
  }
  return method();
}

}  // namespace

std::optional<Borrowed> from_dlpack(const py::object& object, DType wanted) {
  const py::object given = capsule_of(object);
  if (PyCapsule_CheckExact(given.ptr()) == 0)
    throw Error(Code::type, fmt::format("is a {} whose __dlpack__ gives a {} and no capsule", Py_TYPE(object.ptr())->tp_name,
                                        Py_TYPE(given.ptr())->tp_name));
  const auto capsule = py::reinterpret_borrow<py::capsule>(given);
  const auto borrowed = [](std::optional<ArrayView> array, py::object keep) -> std::optional<Borrowed> {
    if (!array) return std::nullopt;
    return Borrowed{std::move(*array), std::move(keep)};
  };
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") != 0) {
    auto* managed = static_cast<ManagedVersioned*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    py::object keep = own(capsule, managed, "used_dltensor_versioned");
    if (managed->major > 1) return std::nullopt;
    return borrowed(view_of(managed->tensor, wanted, (managed->flags & read_only_flag) != 0), std::move(keep));
  }
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (managed == nullptr) throw py::error_already_set();
  py::object keep = own(capsule, managed, "used_dltensor");
  return borrowed(view_of(managed->tensor, wanted, false), std::move(keep));
}

}  // namespace eagle::python
