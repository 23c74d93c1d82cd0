// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace eagle {

/// Element types of planes, with NumPy's names. A boolean is one byte, nonzero = true.
enum class DType : std::uint8_t { float64, float32, int64, int32, uint64, uint32, boolean };

/// "float64", ..., "bool".
std::string_view name(DType dtype) noexcept;
/// The dtype called `text`, or nothing.
std::optional<DType> dtype_from(std::string_view text) noexcept;
/// Bytes of one element.
std::int64_t size_of(DType dtype) noexcept;
bool is_float(DType dtype) noexcept;

/// The dtype of a C++ element type.
template <class T>
constexpr DType dtype_of() noexcept {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, double>) return DType::float64;
  else if constexpr (std::is_same_v<U, float>) return DType::float32;
  else if constexpr (std::is_same_v<U, bool> || std::is_same_v<U, std::uint8_t>) return DType::boolean;
  else {
    static_assert(std::is_integral_v<U> && (sizeof(U) == 8 || sizeof(U) == 4),
                  "eagle planes hold double, float, 64- and 32-bit integers, or bool");
    if constexpr (sizeof(U) == 8) return std::is_signed_v<U> ? DType::int64 : DType::uint64;
    else return std::is_signed_v<U> ? DType::int32 : DType::uint32;
  }
}

/// Whether every value of From is one of To, two element types, by NumPy's can_cast(From, To, 'safe'); a boolean is
/// std::uint8_t.
template <class From, class To>
constexpr bool widens_to = [] {
  if constexpr (std::is_same_v<From, To> || std::is_same_v<From, std::uint8_t>) return true;
  else if constexpr (std::is_floating_point_v<To>) return std::is_same_v<To, double>;
  else if constexpr (std::is_floating_point_v<From>) return false;
  else return sizeof(To) > sizeof(From) && (std::is_signed_v<To> || std::is_unsigned_v<From>);
}();

/// Calls f with a value-initialised element of the dtype (a boolean as std::uint8_t) and returns what f returns.
template <class F>
decltype(auto) visit(DType dtype, F&& f) {
  switch (dtype) {
    case DType::float64: return f(double{});
    case DType::float32: return f(float{});
    case DType::int64: return f(std::int64_t{});
    case DType::int32: return f(std::int32_t{});
    case DType::uint64: return f(std::uint64_t{});
    case DType::uint32: return f(std::uint32_t{});
    case DType::boolean: break;
  }
  return f(std::uint8_t{});
}

}  // namespace eagle
