// SPDX-License-Identifier: Apache-2.0
#include <eagle/text.hpp>

#include <fmt/format.h>

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

/// U+0000 to U+001F, U+007F, and U+0080 to U+009F.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  return character.size() == 2 && first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

std::string escaped(std::string_view text, bool controls) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character(text);
    const std::string_view next = text.substr(0, length == 0 ? 1 : length);
    if (length == 0 || (controls && is_control(next)))
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(next.back()));
    else result += next;
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

}  // namespace eagle::detail
