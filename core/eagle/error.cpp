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

namespace {

constexpr std::size_t longest = std::size_t{16} << 10;  // of a message, as names in it may have any length

}  // namespace

Error::Error(Code code, const std::string& message)
    : std::runtime_error(detail::printable_lines(detail::cut(message, longest))), code_(code) {}

}  // namespace eagle
