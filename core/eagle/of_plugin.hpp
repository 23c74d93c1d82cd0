// SPDX-License-Identifier: Apache-2.0
// Private: the errors of memories, devices and libraries, which know no plugin.
#pragma once

#include <string_view>

#include <eagle/error.hpp>

namespace eagle::detail {

/// The error with the plugin's name in front, where it has none.
Error named(std::string_view plugin, const Error& error);

/// Runs f, and names the plugin in its errors where they do not.
template <class F>
auto of_plugin(std::string_view plugin, F&& f) {
  try {
    return f();
  } catch (const Error& e) {
    throw named(plugin, e);
  }
}

}  // namespace eagle::detail
