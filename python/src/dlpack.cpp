// SPDX-License-Identifier: Apache-2.0
#include "dlpack.hpp"

#include <cstdint>
#include <utility>

#include <eagle/error.hpp>
#include <fmt/format.h>

#include "gil.hpp"

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
constexpr std::uint64_t read_only_flag = 1, copied_flag = 2;
enum TypeCode : std::uint8_t { Int = 0, UInt = 1, Float = 2, Bool = 6 };

std::optional<DType> dtype_of_tensor(const Tensor& tensor, DType wanted) {
  if (tensor.lanes != 1) return std::nullopt;
  const auto is = [&](TypeCode code, int bits) { return tensor.code == code && tensor.bits == bits; };
  if (is(Float, 64)) return DType::float64;
  if (is(Float, 32)) return DType::float32;
  if (is(Int, 64)) return DType::int64;
  if (is(Int, 32)) return DType::int32;
  if (is(UInt, 64)) return DType::uint64;
  if (is(UInt, 32)) return DType::uint32;
  if (is(Bool, 8) || (is(UInt, 8) && wanted == DType::boolean)) return DType::boolean;
  return std::nullopt;
}

/// "float16".
std::string type_text(const Tensor& tensor) {
  constexpr const char* names[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
  const std::string type = tensor.code < std::size(names) ? names[tensor.code] : fmt::format("type {} of ", tensor.code);
  return fmt::format("{}{}{}", type, tensor.bits, tensor.lanes == 1 ? "" : fmt::format("x{}", tensor.lanes));
}

std::optional<ArrayView> view_of(const Tensor& tensor, DType wanted, bool read_only) {
  const auto dtype = dtype_of_tensor(tensor, wanted);
  const Device device{tensor.device_type, tensor.device_id};
  if (!dtype && device.type != Device::cpu)
    throw Error(Code::type, fmt::format("is {} on {}, and {} is due: give an array of that type", type_text(tensor),
                                        to_string(device), name(wanted)));
  if (!dtype) return std::nullopt;
  if (tensor.ndim < 0 || (tensor.ndim > 0 && tensor.shape == nullptr))
    throw Error(Code::type,
                fmt::format("is a tensor of {} axes with {} shape", tensor.ndim, tensor.shape == nullptr ? "no" : "a"));
  Extents shape(tensor.shape, tensor.shape + tensor.ndim);
  Extents strides =
      tensor.strides == nullptr ? row_major_strides(shape) : Extents(tensor.strides, tensor.strides + tensor.ndim);
  auto* data = static_cast<std::byte*>(tensor.data);
  if (data != nullptr) data += tensor.byte_offset;
  ArrayView array = lent_view(data, *dtype, std::move(shape), std::move(strides), device);
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

/// What the object says of its memory; a producer that is too old to say is of the host until its capsule says otherwise.
Device said_device(const py::object& object) {
  if (!py::hasattr(object, "__dlpack_device__")) return {};
  const py::object said = object.attr("__dlpack_device__")();
  try {
    const auto [type, id] = said.cast<std::pair<std::int32_t, std::int32_t>>();
    return {type, id};
  } catch (const py::cast_error&) {
    throw Error(Code::type, fmt::format("is a {} whose __dlpack_device__ gives a {}: a pair of integers, (type, id), is due",
                                        Py_TYPE(object.ptr())->tp_name, Py_TYPE(said.ptr())->tp_name));
  }
}

/// The capsule, for use in the order of a stream where one is given.
py::object capsule_of(const py::object& object, const std::optional<DeviceStream>& stream) {
  const py::object method = object.attr("__dlpack__");
  py::dict options;
  if (stream) options["stream"] = number_of(stream->stream);
  try {
    return method(py::arg("max_version") = py::make_tuple(1, 1), **options);
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_TypeError)) throw;  // producers older than versions do not know the argument
  }
  return method(**options);
}

/// The array of a capsule, which is taken over.
std::optional<Borrowed> take_over(const py::object& given, const py::object& object, DType wanted) {
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

/// A struct of the ABI and all that it points at.
template <class T>
struct Lent {
  T managed = {};
  ArrayView array;
  std::shared_ptr<const void> owner;
};

/// Consumers let go from any thread, and when Python is gone: then the process ends soon.
template <class T>
void give_back(T* managed) {
  if (Py_IsInitialized() == 0) return;
  const WithGil gil;
  delete static_cast<Lent<T>*>(managed->context);
}

TypeCode code_of(DType dtype) {
  if (dtype == DType::boolean) return Bool;
  if (is_float(dtype)) return Float;
  return dtype == DType::int64 || dtype == DType::int32 ? Int : UInt;
}

template <class T>
py::capsule lend(std::unique_ptr<Lent<T>> lent, const char* name) {
  ArrayView& array = lent->array;
  lent->managed.tensor = {array.data,
                          array.device.type,
                          array.device.id,
                          static_cast<std::int32_t>(array.shape.size()),
                          code_of(array.dtype),
                          static_cast<std::uint8_t>(8 * size_of(array.dtype)),
                          1,
                          array.shape.data(),
                          array.strides.data(),
                          0};
  lent->managed.context = lent.get();
  lent->managed.deleter = give_back<T>;
  py::capsule capsule(&lent.release()->managed, name, [](PyObject* self) {
    const char* const unused = PyCapsule_GetName(self);  // "used_..." once a consumer has taken it over
    if (unused == nullptr || unused[0] != 'd') return;
    auto* const managed = static_cast<T*>(PyCapsule_GetPointer(self, unused));
    managed->deleter(managed);
  });
  return capsule;
}

}  // namespace

ArrayView lent_view(void* data, DType dtype, Extents shape, Extents strides, Device device) {
  try {
    return view(data, dtype, std::move(shape), std::move(strides), device);
  } catch (const Error& e) {
    throw Error(e.code(), fmt::format("is lent as what is no array: {}", e.what()));
  }
}

std::optional<Borrowed> from_dlpack(const py::object& object, DType wanted, const Place& place) {
  const Device said = said_device(object);
  const auto has_streams = [](const Device& device) {
    return device.type == Device::cuda || device.type == Device::cuda_managed;
  };
  const std::optional<DeviceStream> taken = has_streams(said) ? place.stream(said) : std::nullopt;
  const py::object capsule = capsule_of(object, taken);
  std::optional<Borrowed> borrowed = take_over(capsule, object, wanted);
  // A producer that was given no stream has made its memory ready for the legacy default stream.
  if (borrowed && !taken && has_streams(borrowed->view.device)) order_after(borrowed->view, nullptr, place);
  return borrowed;
}

py::capsule to_dlpack(const ArrayView& array, std::shared_ptr<const void> owner, bool versioned, bool is_copy) {
  if (!versioned) return lend(std::make_unique<Lent<Managed>>(Lent<Managed>{{}, array, std::move(owner)}), "dltensor");
  auto lent = std::make_unique<Lent<ManagedVersioned>>(Lent<ManagedVersioned>{{}, array, std::move(owner)});
  lent->managed.major = 1;
  lent->managed.minor = 1;
  lent->managed.flags = is_copy ? copied_flag : 0;
  return lend(std::move(lent), "dltensor_versioned");
}

}  // namespace eagle::python
