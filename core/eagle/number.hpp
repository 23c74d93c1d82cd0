// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <variant>

#include <eagle/dtype.hpp>

namespace eagle {

/// A number as a caller or a manifest gives it: integers stay integers, exactly.
class Number {
 public:
  Number() noexcept = default;
  template <std::signed_integral T>
  Number(T value) noexcept : value_(static_cast<std::int64_t>(value)) {}
  template <std::unsigned_integral T>
  Number(T value) noexcept : value_(static_cast<std::uint64_t>(value)) {}
  template <std::floating_point T>
  Number(T value) noexcept : value_(static_cast<double>(value)) {}

  [[nodiscard]] bool is_integer() const noexcept { return !std::holds_alternative<double>(value_); }
  [[nodiscard]] double as_double() const noexcept;
  /// Whether store() accepts it for this dtype: integers where they are in range, floats for float dtypes, rounded, unless
  /// that would make a finite number infinite.
  [[nodiscard]] bool fits(DType dtype) const noexcept;
  /// Writes one element of the dtype; Error(type) or Error(argument) naming the number where fits() is false.
  void store(DType dtype, void* destination) const;

 private:
  std::variant<std::int64_t, std::uint64_t, double> value_ = std::int64_t{0};
  friend std::string to_string(const Number& number);
};

/// Integers in full, floating values with the fewest digits that read back to the same bits and never as an integer.
std::string to_string(const Number& number);

}  // namespace eagle
