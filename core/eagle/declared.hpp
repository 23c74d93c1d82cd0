// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core: the lists of a sidecar that declare its arguments, before arg_spec puts them in order.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <eagle/access.hpp>
#include <eagle/dtype.hpp>
#include <eagle/number.hpp>
#include <eagle/reader.hpp>

namespace eagle::detail {

/// How the elements of an argument lie: one a sample, w a sample, R x C a sample, or a table of a length of its own.
enum class Form : std::uint8_t { scalar, vector, matrix, table };

using Shape = std::array<std::int64_t, 2>;
/// Keys borrow from the JSON that was read.
template <class T>
using ByName = std::map<std::string_view, T>;

struct Mutable {
  Form form = Form::scalar;
  std::optional<DType> dtype;  ///< where its kind fixes it
  std::optional<std::int64_t> width;
  std::optional<Shape> shape;
  std::optional<Number> initial;
};

/// Everything declared. What has a finding is left out, but its name stays in `names`.
struct Declared {
  std::set<std::pair<Role, std::string_view>> names;
  ByName<Mutable> mutables;
  ByName<DType> params;
  ByName<DType> dtypes;
  ByName<std::int64_t> arg_widths;
  ByName<std::int64_t> vec_widths;
  ByName<std::int64_t> arg_shapes;
  ByName<Shape> mat_shapes;
};

/// The key of the list that declares arguments of a role; empty where they stand in arg_spec alone.
std::string_view list_key(Role role) noexcept;

/// `scalar` is what scalar_type means for elements.
Declared read_declared(const Reader& sidecar, std::int64_t version, DType scalar);

}  // namespace eagle::detail
