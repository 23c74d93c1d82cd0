// SPDX-License-Identifier: Apache-2.0
#include <eagle/any_span.hpp>
#include <eagle/error.hpp>
#include <eagle/reduction.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "gil.hpp"

namespace py = pybind11;

namespace eagle::python {
namespace {

Op op_named(const std::string& text) {
  if (const auto op = op_from(text)) return *op;
  throw Error(Code::placement, fmt::format("{} is no op: {} is accepted", detail::in_quotes(text), op_names()));
}

/// One contiguous row of a type that has reductions.
ArrayView row_of(const py::array& array) {
  const auto view = view_of(array, DType::float64);
  if (!view || view->dtype == DType::boolean)
    throw Error(Code::type, fmt::format("the array is {}: float64, float32, int64, int32, uint64 or uint32 is accepted",
                                        py::str(array.dtype()).cast<std::string>()));
  if (view->shape.size() != 1 || !view->is_contiguous())
    throw Error(Code::argument, fmt::format("the array is {}: one contiguous row is due", to_string(*view)));
  return *view;
}

py::object tree_v1(const std::string& op, const py::array& array, const std::string& precision) {
  const ArrayView row = row_of(array);
  const auto way = precision_from(precision);
  if (!way)
    throw Error(Code::placement,
                fmt::format("precision is {}: working or compensated is accepted", detail::in_quotes(precision)));
  AnySpan span(op_named(op), row.dtype, *way);
  std::uint64_t value = 0;
  {
    const WithoutGil release;
    span.append(row.data, row.size());
    span.finish(row.size(), &value);
  }
  return numpy_scalar(row.dtype, &value);
}

template <class F>
py::object reduced(DType dtype, F&& f) {
  return visit(dtype, [&]<class T>(T) -> py::object {
    if constexpr (Reducible<T>) {
      const T value = f(T{});
      return numpy_scalar(dtype, &value);
    } else throw Error(Code::type, "bool has no reduction: float64, float32, int64, int32, uint64 or uint32 is accepted");
  });
}

py::object fold_row(const std::string& op, const py::array& array) {
  const ArrayView row = row_of(array);
  return reduced(row.dtype, [&]<class T>(T) {
    return fold<T>(op_named(op), std::span(static_cast<const T*>(row.data), static_cast<std::size_t>(row.size())));
  });
}

py::object identity_of(const std::string& op, const std::string& dtype) {
  return reduced(dtype_named(dtype), [&]<class T>(T) { return identity<T>(op_named(op)); });
}

}  // namespace

void bind_reductions(py::module_& module) {
  module.def("tree_v1", tree_v1, py::arg("op"), py::arg("row"), py::arg("precision"));
  module.def("fold", fold_row, py::arg("op"), py::arg("row"));
  module.def("identity", identity_of, py::arg("op"), py::arg("dtype"));
}

}  // namespace eagle::python
