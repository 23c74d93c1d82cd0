// SPDX-License-Identifier: Apache-2.0
#include "console.hpp"

#include <eagle/text.hpp>

namespace eagle::command {

void print_lines(std::FILE* to, std::string_view lines) { fmt::print(to, "{}", detail::printable_lines(lines)); }

int finish(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fputs("eagle: standard output cannot be written\n", stderr);
  return code == 0 ? 1 : code;
}

}  // namespace eagle::command
