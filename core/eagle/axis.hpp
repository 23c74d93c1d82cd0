// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core: what manifest and sidecar both say, by one reader: schema version, tag and execution axis.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <eagle/access.hpp>
#include <eagle/reader.hpp>

namespace eagle::detail {

constexpr std::int64_t newest_schema = 3;

/// What the axis keys say. A key that is absent or refused is empty here.
struct Axis {
  std::int64_t version = 0;
  std::string abi;
  std::vector<Target> targets;
  std::optional<Access> access;
  std::optional<Op> op;
};

/// The schema version in `key`, or nothing and a finding; a version that is too new says "upgrade eagle".
std::optional<std::int64_t> read_version(const Reader& file, std::string_view key);

/// The tag that a schema version requires.
std::string_view tag_of(std::int64_t version) noexcept;

/// Reads aether_abi, exec_targets, exec_access and exec_op by the rules of a schema version. The tag may be absent unless it
/// is needed.
Axis read_axis(const Reader& file, std::int64_t version, Need tag);

/// Findings for every key in which a sidecar disagrees with its manifest. What one of them lacks is not compared.
void check_agreement(const Reader& sidecar, const Axis& axis, const Axis& manifest);

/// "device, host".
std::string list_of(const std::vector<Target>& targets);

}  // namespace eagle::detail
