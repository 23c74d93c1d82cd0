// SPDX-License-Identifier: Apache-2.0
#include <eagle/text.hpp>

#include <fmt/format.h>

namespace eagle::detail {
namespace {

constexpr bool is_control(unsigned char c) noexcept { return c < 0x20 || c == 0x7f; }
/// The second byte of U+0080 to U+009F in UTF-8, whose first is 0xC2.
constexpr bool is_high_control(unsigned char c) noexcept { return c >= 0x80 && c < 0xa0; }

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto c = static_cast<unsigned char>(text[k]);
    const auto next = k + 1 < text.size() ? static_cast<unsigned char>(text[k + 1]) : static_cast<unsigned char>(0);
    if (is_control(c)) {
      result += fmt::format("\\x{:02x}", c);
    } else if (c == 0xc2 && is_high_control(next)) {
      result += fmt::format("\\x{:02x}", next);
      ++k;
    } else {
      result += text[k];
    }
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 100;
  if (text.size() <= longest) return fmt::format("'{}'", printable(text));
  std::size_t cut = longest;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) --cut;
  return fmt::format("'{}...'", printable(text.substr(0, cut)));
}

}  // namespace eagle::detail
