// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share: how they say that a promise is broken, and how they take values from their input.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include <eagle/error.hpp>
#include <eagle/finding.hpp>
#include <eagle/json.hpp>
#include <eagle/text.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fuzz {

/// Ends the process, as a crash that the fuzzer reports, unless a promise is kept.
inline void require(bool kept, const char* promise, const std::string& what = {}) {
  if (kept) return;
  std::fprintf(stderr, "broken: %s\n%s\n", promise, eagle::detail::printable(what).c_str());
  std::abort();
}

/// Has the compiler make a value that nothing uses.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Whether nothing in a text steers a terminal or the direction of writing: no character below a blank, no DEL, none of U+0080
/// to U+009F, U+2028 to U+202E and U+2066 to U+2069.
inline bool is_plain(std::string_view text) {
  for (const auto& [start, from, to] : {std::tuple{"\xe2\x80", 0xa8, 0xae}, {"\xe2\x81", 0xa6, 0xa9}})
    for (int last = from; last <= to; ++last)
      if (text.find(start + std::string(1, static_cast<char>(last))) != text.npos) return false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto byte = static_cast<unsigned char>(text[k]),
               next = static_cast<unsigned char>(text[std::min(k + 1, text.size() - 1)]);
    if (byte < 0x20 || byte == 0x7f || (byte == 0xc2 && next >= 0x80 && next < 0xa0)) return false;
  }
  return true;
}

/// Ends the process unless a text is lines of printable characters.
inline void require_text(std::string_view text, const char* promise) {
  std::string line(text);
  std::erase(line, '\n');
  require(!line.empty() && is_plain(line), promise, line);
}

/// Calls f, which may refuse with eagle's error and nothing else. Whether it did not.
template <class F>
bool accepts(F&& f) {
  try {
    f();
    return true;
  } catch (const eagle::Error& error) {
    require(error.code() != eagle::Code::internal, "no input is a fault of eagle itself", error.what());
    require_text(error.what(), "a refusal is text, fit for a terminal");
    return false;
  }
}

/// What people and programs see of findings is text, and of a length that the input bounds.
inline void check_findings(const eagle::Findings& findings, std::size_t input) {
  for (const eagle::Finding& each : findings) {
    const std::string line = to_string(each);
    require(!each.code.empty() && !each.message.empty(), "a finding has a code and a message", line);
    require(is_plain(line), "a finding brings no control character to a terminal", line);
    require(each.message.size() < 4000 + 8 * input, "a message is about as long as what it is about", line);
  }
  const std::string json = to_json(findings);
  require(json.size() > eagle::detail::json::most_bytes || accepts([&] { eagle::detail::json::parse(json); }),
          "findings as JSON are JSON", json);
}

/// Takes values from the front of an input; zeros behind its end.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : rest_(text_of(data, size)) {}

  template <class T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    const std::size_t count = std::min(sizeof(T), rest_.size());
    std::memcpy(&value, rest_.data(), count);
    rest_.remove_prefix(count);
    return value;
  }
  /// One byte as a number from 0 to most.
  std::int64_t up_to(std::int64_t most) { return take<std::uint8_t>() % (most + 1); }
  bool coin() { return up_to(1) == 1; }
  /// A length or count: mostly small, sometimes anything.
  std::int64_t count() {
    const auto small = take<std::uint8_t>();
    return small < 0xf0 ? small % 24 : take<std::int64_t>();
  }
  std::string_view rest() const { return rest_; }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace fuzz
