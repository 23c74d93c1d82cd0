// SPDX-License-Identifier: Apache-2.0
// Profiles that tests write.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <eagle/observer.hpp>
#include <eagle/profile.hpp>

namespace support {

/// Keeps what it is told was ignored.
struct Ignored final : eagle::Observer {
  std::string text;
  void ignored(std::string_view line) override { text = line; }
};

/// Writes a profile of this machine that knows one plugin at one size, on a device where one is named.
inline std::filesystem::path profile_of(const std::filesystem::path& file, const eagle::Plugin& plugin, std::int64_t samples,
                                        const eagle::Setting& setting, const std::string& device = "") {
  const auto structure = device.empty() ? eagle::StructureKind::host_team : eagle::StructureKind::device_kernel;
  eagle::Profile profile{eagle::machine(), {}};
  profile.put({.plugin = plugin.id(),
               .digest = plugin.digest(),
               .structure = structure,
               .device = device,
               .samples = samples,
               .setting = setting,
               .seconds = 1,
               .default_seconds = 1});
  eagle::write_profile(file, profile);
  return file;
}

}  // namespace support
