// SPDX-License-Identifier: Apache-2.0
#include "console.hpp"

#include <eagle/text.hpp>

namespace eagle::command {

void print_lines(std::FILE* to, std::string_view lines) { put(to, detail::printable_lines(lines)); }

void put(std::FILE* to, const std::string& text) { static_cast<void>(std::fwrite(text.data(), 1, text.size(), to)); }

int finish(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fputs("eagle: standard output cannot be written\n", stderr);
  return code == 0 ? 1 : code;
}

}  // namespace eagle::command
