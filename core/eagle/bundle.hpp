// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <eagle/finding.hpp>
#include <eagle/plugin.hpp>

namespace eagle {

/// The plugins of a bundle, in the order that the manifest gives them.
class Bundle {
 public:
  /// `disabled` holds the ids of plugins that the manifest switches off; they are named in errors.
  Bundle(std::filesystem::path path, std::vector<Plugin> plugins, std::vector<std::string> disabled = {});
  /// The plugin called id; Error(argument) naming those there are.
  [[nodiscard]] const Plugin& at(std::string_view id) const;
  /// The plugin of a bundle that holds exactly one; Error(argument) otherwise.
  [[nodiscard]] const Plugin& only() const;
  [[nodiscard]] auto begin() const noexcept { return plugins_.begin(); }
  [[nodiscard]] auto end() const noexcept { return plugins_.end(); }
  [[nodiscard]] std::size_t size() const noexcept { return plugins_.size(); }
  /// SHA-256 of the list of the SHA-256 (hexadecimal, a line each) of the manifest and, in the order of the plugins, of each
  /// one's sidecar and artifacts, as they were checked; of a bundle of one plugin the same as Plugin::digest().
  /// Error(unsupported) of a bundle that enables none.
  [[nodiscard]] std::string digest() const;

 private:
  std::filesystem::path path_;
  std::vector<Plugin> plugins_;
  std::vector<std::string> disabled_;
};

/// Reads a bundle folder or its manifest.json and checks everything about it that can be checked without running it: the
/// manifest, each sidecar, each artifact's image. Gives all findings; none means that load() accepts the bundle.
Findings check(const std::filesystem::path& bundle);

struct LoadOptions {
  /// Where it is not empty: the digest that the bundle must have. What runs is then what has that digest, even where the files
  /// change later (Plugin::pin).
  std::string digest;
};

/// The plugins of a bundle. Error(bundle) with every finding where check() has any, and for another digest than the required
/// one; Error(argument) for a digest that is none; Error(not_found) where there is no bundle.
Bundle load(const std::filesystem::path& bundle, const LoadOptions& options = {});

}  // namespace eagle
