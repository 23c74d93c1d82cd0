// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core: a manifest before the files that it names are looked at.
#pragma once

#include <string>
#include <vector>

#include <eagle/axis.hpp>
#include <eagle/reader.hpp>

namespace eagle::detail {

/// One entry of `plugins`.
struct PluginEntry {
  const json::Value* value = nullptr;  ///< borrowed from the manifest's JSON
  std::string pointer;
  std::string id;
  std::int64_t order = 0;
  bool enabled = false;
  bool valid = false;  ///< whether there is no finding about the entry
  std::string artifact;
  std::string sidecar;
  std::string format;
  std::string host_artifact;  ///< empty where it has none
};

struct Manifest {
  Axis axis;
  std::string pattern;
  bool valid = false;  ///< whether there is no finding about the manifest as a whole
  std::vector<PluginEntry> plugins;
};

/// Reads a manifest; everything wrong with it becomes findings.
Manifest read_manifest(const json::Value& manifest, Report& report);

}  // namespace eagle::detail
