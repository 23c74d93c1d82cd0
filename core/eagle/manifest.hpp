// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <eagle/declaration.hpp>
#include <eagle/finding.hpp>

namespace eagle {

/// Everything that is wrong with one manifest, read on its own; no other file is looked for. A schema version that is too
/// new is the only finding. Error(not_found), Error(io) where the file cannot be read.
Findings validate_manifest(const std::filesystem::path& manifest);

/// What a bundle says, without a look into its artifacts.
struct BundleReading {
  /// The enabled plugins about which, like about the manifest as a whole, there is no finding; by `order`, then as they
  /// stand in the manifest.
  std::vector<Declaration> plugins;
  std::vector<std::string> disabled;  ///< ids of those that are not enabled
  Findings findings;
};

/// Reads a bundle's manifest and the sidecar of each enabled plugin: both valid, in agreement, launchable, and every file they
/// name there and inside the bundle. `bundle` is the folder or its manifest. Of a plugin that is not enabled only its entry
/// in the manifest is checked. Error(not_found), Error(io) where the manifest cannot be read; other files become findings.
BundleReading read_bundle(const std::filesystem::path& bundle);

}  // namespace eagle
