// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <eagle/eagle.hpp>

namespace device_check {

/// What a plugin is given: arrays, all with gapless rows and samples last, and numbers.
struct Given {
  std::map<std::string, eagle::Array> arrays;
  eagle::Values numbers;

  [[nodiscard]] eagle::Values values() const;
  /// A copy of the arrays in another memory.
  [[nodiscard]] Given in(const eagle::Memory& memory) const;
};

/// Arguments for n samples of any plugin, from its declaration: deterministic, in host memory. `exact` makes all floating
/// values small integers, so that no product or sum of theirs is rounded, contracted or not.
Given made_for(const eagle::Plugin& plugin, std::int64_t n, bool exact = false);

/// The 64 bits that samples and arguments are drawn from.
std::uint64_t mixed(std::uint64_t x);

/// The outputs of a run by name, as bytes on the host.
using Outputs = std::map<std::string, std::vector<char>>;
Outputs outputs_of(const eagle::Result& result, const eagle::Memory& memory);
Outputs run(const eagle::Plan& plan, const eagle::Values& values, const eagle::Memory& memory);

/// What is wrong where outputs differ, naming output and first byte; empty where they are the same bits.
std::string difference(const Outputs& found, const Outputs& expected);

}  // namespace device_check
