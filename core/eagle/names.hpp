// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace eagle::detail {

/// The name of an enumerator whose values count from 0 in the order of `names`.
template <class Enum, std::size_t N>
constexpr std::string_view name_of(const std::string_view (&names)[N], Enum value) noexcept {
  return names[static_cast<std::size_t>(value)];
}

/// The enumerator called `text`, or nothing.
template <class Enum, std::size_t N>
constexpr std::optional<Enum> find_name(const std::string_view (&names)[N], std::string_view text) noexcept {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == text) return static_cast<Enum>(i);
  return std::nullopt;
}

/// The names in one line for a message: "sum, times, max or land".
template <class Range>
std::string one_of(const Range& names) {
  std::string text;
  std::size_t left = std::size(names);
  for (const auto& each : names) {
    text += each;
    --left;
    if (left > 0) text += left == 1 ? " or " : ", ";
  }
  return text;
}

/// The name in `names` that is closest to `text` by edit distance, or "" if none is near enough to be a misspelling. Of many or
/// long names only the first are compared, about a million pairs of letters.
std::string near_name(std::string_view text, std::span<const std::string> names);

}  // namespace eagle::detail
