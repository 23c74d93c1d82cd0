// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core: text from files made fit for a message.
#pragma once

#include <string>
#include <string_view>

namespace eagle::detail {

/// The text with its control characters as escapes, e.g. "\x1b", so that no file can write to a terminal through a message.
std::string printable(std::string_view text);

/// The text in single quotes, printable; text of more than 100 bytes is cut and ends in "...".
std::string in_quotes(std::string_view text);

}  // namespace eagle::detail
