// SPDX-License-Identifier: Apache-2.0
// What the command prints. Names and messages may come from files, which must not steer a terminal.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace eagle::command {

/// Prints a text. Of what cannot be written finish() tells for standard output; nobody can be told for standard error.
void put(std::FILE* to, const std::string& text);

/// Prints lines of text with everything in them that is no printable text as escapes.
void print_lines(std::FILE* to, std::string_view lines);

template <class... Args>
void print(fmt::format_string<Args...> format, Args&&... args) {
  print_lines(stdout, fmt::format(format, std::forward<Args>(args)...));
}

/// The exit code of a command that ends with `code`: 0 only where all that it has printed has arrived.
int finish(int code);

}  // namespace eagle::command
