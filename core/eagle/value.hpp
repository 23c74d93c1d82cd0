// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <map>
#include <string>
#include <variant>

#include <eagle/array.hpp>
#include <eagle/number.hpp>

namespace eagle {

/// What a caller gives for one argument: a borrowed array or a number.
class Value {
 public:
  Value(ArrayView array) : value_(std::move(array)) {}
  template <class T>
    requires std::integral<T> || std::floating_point<T>
  Value(T number) : value_(Number(number)) {}
  Value(Number number) : value_(number) {}

  [[nodiscard]] const ArrayView* array() const noexcept { return std::get_if<ArrayView>(&value_); }
  [[nodiscard]] const Number* number() const noexcept { return std::get_if<Number>(&value_); }

 private:
  std::variant<ArrayView, Number> value_;
};

/// Arguments by name, e.g. {{"x", eagle::view(x)}, {"a", 2.0}}.
using Values = std::map<std::string, Value, std::less<>>;

/// Which axis of a given plane counts samples: the last (component-major, the native layout) or the first (sample-major).
enum class Layout : std::uint8_t { component, sample };
using Layouts = std::map<std::string, Layout, std::less<>>;

}  // namespace eagle
