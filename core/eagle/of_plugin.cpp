// SPDX-License-Identifier: Apache-2.0
#include <eagle/of_plugin.hpp>

#include <fmt/format.h>

namespace eagle::detail {

Error named(std::string_view plugin, const Error& error) {
  if (std::string_view(error.what()).starts_with("plugin '")) return error;
  return {error.code(), fmt::format("plugin '{}': {}", plugin, error.what())};
}

}  // namespace eagle::detail
