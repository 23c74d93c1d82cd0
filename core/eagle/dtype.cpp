// SPDX-License-Identifier: Apache-2.0
#include <eagle/dtype.hpp>

#include <eagle/names.hpp>

namespace eagle {
namespace {
constexpr std::string_view names[] = {"float64", "float32", "int64", "int32", "uint64", "uint32", "bool"};
}

std::string_view name(DType dtype) noexcept { return detail::name_of(names, dtype); }
std::optional<DType> dtype_from(std::string_view text) noexcept { return detail::find_name<DType>(names, text); }
std::int64_t size_of(DType dtype) noexcept {
  return visit(dtype, [](auto element) { return static_cast<std::int64_t>(sizeof(element)); });
}
bool is_float(DType dtype) noexcept { return dtype == DType::float64 || dtype == DType::float32; }

}  // namespace eagle
