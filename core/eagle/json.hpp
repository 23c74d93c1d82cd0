// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core: JSON (RFC 8259) as a small tree, read strictly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <eagle/error.hpp>

namespace eagle::detail::json {

struct Value;
struct Member;
using Array = std::vector<Value>;
/// In the order of the file; a parsed object has no key twice.
using Object = std::vector<Member>;

/// A JSON value. A number without fraction and exponent that 64 bits hold is an integer, exactly: std::int64_t, or
/// std::uint64_t above its range. Every other number is a double.
struct Value {
  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object> data;

  template <class T>
  [[nodiscard]] const T* get() const noexcept {
    return std::get_if<T>(&data);
  }
  [[nodiscard]] bool is_null() const noexcept { return data.index() == 0; }
  /// The member called `key`; null where there is none or this is no object.
  [[nodiscard]] const Value* find(std::string_view key) const noexcept;
};

struct Member {
  std::string key;
  Value value;
};

/// A text that parse() refuses. what() says the line and what is wrong there.
class SyntaxError : public Error {
 public:
  SyntaxError(std::string pointer, const std::string& message) : Error(Code::bundle, message), pointer_(std::move(pointer)) {}
  /// JSON pointer to the value that was being read.
  [[nodiscard]] const std::string& pointer() const noexcept { return pointer_; }

 private:
  std::string pointer_;
};

/// Texts of more bytes are refused.
constexpr std::size_t most_bytes = std::size_t{4} << 20;
/// Arrays and objects nested deeper are refused.
constexpr std::size_t most_depth = 64;

/// The one value that `text` holds. SyntaxError for everything that is not JSON in UTF-8, and for what readers disagree on:
/// a key twice in an object, a byte order mark, NUL (also as an escape), numbers that a double cannot hold.
Value parse(std::string_view text);

/// The value as JSON: in one line, or with members and elements on lines of their own, indented. Numbers that are not
/// finite become null, bytes that are no UTF-8 escapes (valid_utf8).
std::string write(const Value& value, bool pretty = false);

/// One more step of a JSON pointer, escaped by RFC 6901: "/a~1b".
std::string step(std::string_view key);
std::string step(std::size_t index);

/// What a value is, for a message: "the string 'abc'", "the integer 3", "an array", "null".
std::string describe(const Value& value);

}  // namespace eagle::detail::json
