// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core: the files of a plugin, for digests.
#pragma once

#include <string_view>
#include <vector>

#include <eagle/plugin.hpp>

namespace eagle::detail {

/// Manifest, sidecar and artifacts (the device's before the host's) as they were read; they live as long as the plugin.
/// Error(unsupported) of a plugin that has no files.
std::vector<std::string_view> texts_of(const Plugin& plugin, bool with_manifest = true);

}  // namespace eagle::detail
