// SPDX-License-Identifier: Apache-2.0
#include <eagle/error.hpp>

#include <eagle/names.hpp>
#include <eagle/text.hpp>

namespace eagle {

std::string_view name(Code code) noexcept {
  static constexpr std::string_view names[] = {"bundle",    "placement",   "partition",   "argument",    "type",
                                               "memory",    "limit",       "unsupported", "not_found",   "io",
                                               "not_built", "unavailable", "body",        "interrupted", "internal"};
  return detail::name_of(names, code);
}

Error::Error(Code code, const std::string& message) : std::runtime_error(detail::printable_lines(message)), code_(code) {}

}  // namespace eagle
