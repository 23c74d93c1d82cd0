// SPDX-License-Identifier: Apache-2.0
#include <eagle/text.hpp>

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace eagle::detail {
namespace {

/// Bytes of the UTF-8 character (RFC 3629) that the text begins with; 0 where it begins with none.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(k < text.size() ? text[k] : 0); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xc0) != 0x80) return 0;
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool surrogate = first == 0xed && byte(1) >= 0xa0;
  const bool beyond = first == 0xf4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

/// The escape of a character that steers what shows a text: U+0000 to U+001F, U+007F to U+009F, and those that end a line or
/// turn the direction of writing, U+2028 to U+202E and U+2066 to U+2069. Empty of every other.
std::string escape(std::string_view character) {
  const auto byte = [&](std::size_t k) { return unsigned{static_cast<unsigned char>(character[k])}; };
  if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7f ? fmt::format("\\x{:02x}", byte(0)) : "";
  if (character.size() == 2) return byte(0) == 0xc2 && byte(1) < 0xa0 ? fmt::format("\\x{:02x}", byte(1)) : "";
  if (character.size() != 3 || byte(0) != 0xe2) return "";
  const unsigned code = 0x2000 + (byte(1) & 0x3f) * 0x40 + (byte(2) & 0x3f);
  return (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ? fmt::format("\\u{:04x}", code) : "";
}

std::string escaped(std::string_view text, bool controls) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character(text);
    const std::string_view next = text.substr(0, length == 0 ? 1 : length);
    const std::string other = length == 0 ? fmt::format("\\x{:02x}", static_cast<unsigned char>(next[0]))
                              : controls  ? escape(next)
                                          : "";
    result += other.empty() ? next : other;
    text.remove_prefix(next.size());
  }
  return result;
}

}  // namespace

std::string valid_utf8(std::string_view text) { return escaped(text, false); }

std::string printable(std::string_view text) { return escaped(text, true); }

std::string printable_lines(std::string_view text) {
  std::string result;
  for (;;) {
    const std::size_t end = text.find('\n');
    result += printable(text.substr(0, end));
    if (end == text.npos) return result;
    result += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string cut(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  while (longest > 0 && (static_cast<unsigned char>(text[longest]) & 0xc0) == 0x80) --longest;
  return fmt::format("{}...", text.substr(0, longest));
}

std::string in_quotes(std::string_view text) { return fmt::format("'{}'", printable(cut(text, 100))); }

std::string some_of(std::span<const std::string> texts) {
  if (texts.empty()) return "none";
  std::vector<std::string> shown;
  for (const std::string& each : texts.first(std::min<std::size_t>(texts.size(), 6))) shown.push_back(in_quotes(each));
  const std::size_t more = texts.size() - shown.size();
  return fmt::format("{}{}", fmt::join(shown, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace eagle::detail
