// SPDX-License-Identifier: Apache-2.0
#include "inputs.hpp"

#include <algorithm>

#include <eagle/error.hpp>
#include <fmt/format.h>

namespace eagle::command {
namespace {

Number number_of(const std::string& name, std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  if (const auto value = parsed<std::int64_t>(text)) return *value;
  if (const auto value = parsed<std::uint64_t>(text)) return *value;
  if (const auto value = parsed<double>(text)) return *value;
  throw Error(Code::argument, fmt::format("--set {}={}: a number is accepted", name, text));
}

}  // namespace

std::map<std::string, std::string> by_name(const std::vector<std::string>& pairs, std::string_view option,
                                           std::string_view form) {
  std::map<std::string, std::string> result;
  for (const std::string& pair : pairs) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == pair.size())
      throw Error(Code::argument, fmt::format("{} {}: {} is accepted", option, pair, form));
    if (!result.emplace(pair.substr(0, equals), pair.substr(equals + 1)).second)
      throw Error(Code::argument, fmt::format("{} names '{}' twice", option, pair.substr(0, equals)));
  }
  return result;
}

bool has_output(const Declaration& plugin, std::string_view name) {
  return std::ranges::any_of(plugin.arguments, [&](const Argument& a) { return a.name == name && is_output(a, plugin); });
}

Inputs read_inputs(const std::vector<std::string>& files, const std::vector<std::string>& numbers) {
  Inputs inputs;
  for (const auto& [name, path] : by_name(files, "--in", "NAME=FILE.npy")) {
    inputs.files.emplace_back(path);
    inputs.values.emplace(name, inputs.files.back().view());
  }
  for (const auto& [name, text] : by_name(numbers, "--set", "NAME=NUMBER"))
    if (!inputs.values.emplace(name, number_of(name, text)).second)
      throw Error(Code::argument, fmt::format("'{}' is given by --in and by --set", name));
  return inputs;
}

}  // namespace eagle::command
