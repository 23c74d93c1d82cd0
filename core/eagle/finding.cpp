// SPDX-License-Identifier: Apache-2.0
#include <eagle/finding.hpp>

#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle {

std::string to_string(const Finding& f) {
  return detail::printable(f.plugin.empty() ? fmt::format("{}: {}", f.pointer, f.message)
                                            : fmt::format("{} ({}): {}", f.plugin, f.pointer, f.message));
}

}  // namespace eagle
