// SPDX-License-Identifier: Apache-2.0
// Private to eagle, not installed: text from files made fit for a message.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace eagle::detail {

/// The text with each byte that belongs to no UTF-8 character as an escape, e.g. "\xff".
std::string valid_utf8(std::string_view text);

/// The same with control characters as escapes too, those of Unicode for lines and directions included ("\u202e"), so that no
/// file can write to a terminal through a message, or make it read as another.
std::string printable(std::string_view text);

/// The same of each line of a text.
std::string printable_lines(std::string_view text);

/// The text, or where it has more than `longest` bytes its first whole characters of them and "...".
std::string cut(std::string_view text, std::size_t longest);

/// The text in single quotes, printable; text of more than 100 bytes is cut and ends in "...".
std::string in_quotes(std::string_view text);

/// The texts in quotes, of many the first six: "'f', 'g' and 3 more"; or "none".
std::string some_of(std::span<const std::string> texts);

}  // namespace eagle::detail
