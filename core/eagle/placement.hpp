// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <eagle/access.hpp>
#include <eagle/declaration.hpp>

namespace eagle {

/// What a plan asks for, as far as legality depends on it.
struct Placement {
  StructureKind structure = StructureKind::host_team;
  /// What drives a rank's part; only with rank_partition, where absent means host_team.
  std::optional<StructureKind> inner = std::nullopt;
  /// How many partitions the run is cut into.
  std::int64_t partitions = 1;
  /// A stricter access than the declared one: sample_local -> cross_sample_read -> cross_sample_write.
  std::optional<Access> exec_access = std::nullopt;
  /// Must equal the declared op, or supply one where none is declared; only with mapreduce.
  std::optional<Op> exec_op = std::nullopt;
};

/// The access rule alone: the sentence that allows the placement, else Error(placement) naming the rule. `plugin` is the
/// name that messages give, or empty.
std::string check_access(std::string_view plugin, Access access, StructureKind structure, std::int64_t partitions);

/// Whether a plugin may run as asked: the access rule first (for a v1 artifact, its whole-view rule), then the target, then
/// the options. Gives the sentence of the rule that allowed it; Error(placement) names the rule that forbids it. Looks at
/// no machine: what was not compiled in or is not there is not legality.
std::string check_placement(const Declaration& plugin, const Placement& placement);

/// The access in force: the plan's where it gives one, else the declared one.
Access effective_access(const Declaration& plugin, const Placement& placement);

/// Whether a host team runs each partition of a body whole, on one thread: its samples must not be told apart, or its entry
/// cannot be.
bool runs_whole(const Declaration& plugin, Access access) noexcept;

/// The target whose entry a structure drives: the host's for host_team, the device's for device_kernel and device_group,
/// the inner structure's for rank_partition.
Target target_of(StructureKind structure, std::optional<StructureKind> inner);

}  // namespace eagle
