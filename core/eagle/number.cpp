// SPDX-License-Identifier: Apache-2.0
#include <eagle/number.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <eagle/error.hpp>
#include <fmt/format.h>

namespace eagle {

double Number::as_double() const noexcept {
  return std::visit([](auto v) { return static_cast<double>(v); }, value_);
}

bool Number::fits(DType dtype) const noexcept {
  if (dtype == DType::float64) return true;
  if (dtype == DType::float32) return !std::isfinite(as_double()) || std::isfinite(static_cast<float>(as_double()));
  if (!is_integer()) return false;
  return visit(dtype, [this]<class T>(T) {
    if constexpr (std::is_floating_point_v<T>) return true;
    else
      return std::visit(
          [](auto v) {
            if constexpr (std::is_floating_point_v<decltype(v)>) return false;
            else return std::in_range<T>(v);
          },
          value_);
  });
}

void Number::store(DType dtype, void* destination) const {
  if (!fits(dtype)) {
    if (!is_integer() && !is_float(dtype))
      throw Error(Code::type, fmt::format("{} is not an integer and {} is due", to_string(*this), name(dtype)));
    throw Error(Code::argument, fmt::format("{} is out of the range of {}", to_string(*this), name(dtype)));
  }
  visit(dtype, [&]<class T>(T) {
    const T element = std::visit([](auto v) { return static_cast<T>(v); }, value_);
    std::memcpy(destination, &element, sizeof(T));
  });
}

std::string to_string(const Number& number) {
  const std::string text = std::visit([](auto v) { return fmt::format("{}", v); }, number.value_);
  const bool looks_whole = text.find_first_not_of("-0123456789") == std::string::npos;
  return looks_whole && !number.is_integer() ? text + ".0" : text;
}

}  // namespace eagle
