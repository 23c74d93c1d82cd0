// SPDX-License-Identifier: Apache-2.0
// What a command line gives a plugin: NAME=FILE.npy and NAME=NUMBER.
#pragma once

#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <eagle/declaration.hpp>
#include <eagle/value.hpp>

#include "npy.hpp"

namespace eagle::command {

/// Pairs like "NAME=NUMBER" by name; `form` is what messages say of them. A name twice is a mistake.
std::map<std::string, std::string> by_name(const std::vector<std::string>& pairs, std::string_view option,
                                           std::string_view form);

/// The number that the whole text is, or nothing.
template <class T>
std::optional<T> parsed(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool has_output(const Declaration& plugin, std::string_view name);

struct Inputs {
  std::vector<npy::File> files;  ///< hold the memory
  Values values;
};

/// Of --in and --set.
Inputs read_inputs(const std::vector<std::string>& files, const std::vector<std::string>& numbers);

}  // namespace eagle::command
