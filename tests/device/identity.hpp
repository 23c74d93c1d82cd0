// SPDX-License-Identifier: Apache-2.0
// What tests of the host's bits share: runs, and what they leave behind.
#pragma once

#include <filesystem>
#include <map>

#include "inputs.hpp"

namespace bed {

using Contents = std::map<std::string, std::vector<std::byte>>;

struct Run {
  Contents outputs, arrays;
};

inline Run run(const eagle::Plan& plan, Inputs inputs) {
  const eagle::Result result = plan.run(inputs.values());
  return {contents(result), inputs.contents()};
}

inline void expect_same(const Run& found, const Run& expected, const std::string& what) {
  ASSERT_EQ(found.outputs.size(), expected.outputs.size()) << what;
  for (const auto& [name, bytes] : expected.outputs)
    ASSERT_TRUE(found.outputs.at(name) == bytes) << what << ": output " << name;
  for (const auto& [name, bytes] : expected.arrays) ASSERT_TRUE(found.arrays.at(name) == bytes) << what << ": array " << name;
}

inline std::vector<std::vector<eagle::Partition>> cuts_of(const eagle::Plugin& plugin, std::int64_t n) {
  const bool whole = plugin.declaration().access == eagle::Access::cross_sample_write;
  return whole ? std::vector<std::vector<eagle::Partition>>{{eagle::Partition::whole(n)}} : support::cuts(n);
}

/// All plugins below a folder that run on a device and on the host.
inline std::vector<eagle::Plugin> plugins_below(const std::filesystem::path& folder) {
  std::vector<eagle::Plugin> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!std::filesystem::exists(entry.path() / "manifest.json")) continue;
    for (const eagle::Plugin& plugin : eagle::load(entry.path()))
      if (plugin.declaration().ships(eagle::Target::device) && plugin.declaration().ships(eagle::Target::host))
        found.push_back(plugin);
  }
  return found;
}

}  // namespace bed
