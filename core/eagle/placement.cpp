// SPDX-License-Identifier: Apache-2.0
#include <eagle/placement.hpp>

#include <limits>

#include <eagle/error.hpp>
#include <eagle/names.hpp>
#include <fmt/format.h>

namespace eagle {
namespace {

constexpr std::int64_t never = 0;
constexpr std::int64_t whole = 1;
constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();

/// The most partitions that a body may be cut into, by structure in the order of StructureKind, and why.
struct Rule {
  std::int64_t most[4];
  std::string_view sentence;
};

/// By access in the order of Access.
constexpr Rule access_rules[] = {
    {{any, any, any, any}, "exec_access 'sample_local' is legal on every structure, in any partitions"},
    {{any, any, any, any}, "exec_access 'cross_sample_read' is legal on every structure, in any partitions"},
    {{whole, whole, never, never},
     "exec_access 'cross_sample_write' is legal on single-device structures only (host_team or device_kernel, one partition): "
     "splitting it would need a partial-accumulate combine that is not specified"},
    {{any, any, any, any}, "exec_access 'mapreduce' is legal on every structure, in any partitions"},
};
constexpr Rule v1_rule = {{whole, whole, never, never},
                          "an aether-abi/1 artifact is legal on one structure in one whole view only (host_team or "
                          "device_kernel, one partition): its entry takes no partition"};

[[noreturn]] void refuse(std::string_view plugin, const std::string& why) {
  throw Error(Code::placement, plugin.empty() ? why : fmt::format("plugin '{}': {}", plugin, why));
}

std::string apply(const Rule& rule, std::string_view plugin, StructureKind structure, std::int64_t partitions) {
  if (partitions > rule.most[static_cast<std::size_t>(structure)])
    refuse(plugin, fmt::format("{} under {} is refused: {}",
                               partitions == 1 ? std::string("one partition") : fmt::format("{} partitions", partitions),
                               name(structure), rule.sentence));
  return std::string(rule.sentence);
}

void check_override(const Declaration& plugin, Access wanted) {
  const Access declared = plugin.access;
  if (wanted == declared) return;
  if (declared == Access::mapreduce || wanted == Access::mapreduce || wanted < declared)
    refuse(plugin.id, fmt::format("exec_access '{}' is refused: the artifact declares '{}', and a plan may only restrict "
                                  "(sample_local -> cross_sample_read -> cross_sample_write; mapreduce stays mapreduce)",
                                  name(wanted), name(declared)));
}

void check_target(const Declaration& plugin, const Placement& placement) {
  const Target needed = target_of(placement.structure, placement.inner);
  if (plugin.ships(needed)) return;
  std::string shipped;
  for (const Target target : plugin.targets) shipped += fmt::format("{}'{}'", shipped.empty() ? "" : ", ", name(target));
  refuse(plugin.id, fmt::format("{} drives the '{}' entry, and the artifact ships {}: choose a structure of a shipped target, "
                                "or build the plugin for '{}' too",
                                name(placement.structure), name(needed), shipped, name(needed)));
}

void check_roles(const Declaration& plugin, const Placement& placement) {
  const bool splits =
      placement.structure == StructureKind::rank_partition || placement.structure == StructureKind::device_group;
  for (const Argument& argument : plugin.arguments)
    if (splits && argument.role == Role::wide_out)
      refuse(plugin.id,
             fmt::format("argument '{}' (wide_out) is refused under {}: nothing says which part of it a rank or device "
                         "has written; choose host_team or device_kernel",
                         argument.name, name(placement.structure)));
}

void check_options(const Declaration& plugin, const Placement& placement, Access access) {
  if (placement.inner && placement.structure != StructureKind::rank_partition)
    refuse(plugin.id, fmt::format("inner='{}' is refused: only rank_partition has an inner structure, this plan's is {}",
                                  name(*placement.inner), name(placement.structure)));
  if (placement.inner && *placement.inner != StructureKind::host_team && *placement.inner != StructureKind::device_kernel)
    refuse(plugin.id, fmt::format("inner='{}' is refused: inner is host_team or device_kernel", name(*placement.inner)));
  if (!placement.exec_op) return;
  if (access != Access::mapreduce)
    refuse(plugin.id, fmt::format("exec_op='{}' is refused: only a mapreduce has an op, and this body is {}",
                                  name(*placement.exec_op), name(access)));
  if (plugin.op && *plugin.op != *placement.exec_op)
    refuse(plugin.id,
           fmt::format("exec_op='{}' is refused: the artifact declares '{}'", name(*placement.exec_op), name(*plugin.op)));
}

}  // namespace

std::string check_access(std::string_view plugin, Access access, StructureKind structure, std::int64_t partitions) {
  return apply(access_rules[static_cast<std::size_t>(access)], plugin, structure, partitions);
}

Access effective_access(const Declaration& plugin, const Placement& placement) {
  return placement.exec_access.value_or(plugin.access);
}

bool runs_whole(const Declaration& plugin, Access access) noexcept {
  return access == Access::cross_sample_write || plugin.is_v1();
}

Target target_of(StructureKind structure, std::optional<StructureKind> inner) {
  if (structure == StructureKind::rank_partition) structure = inner.value_or(StructureKind::host_team);
  return structure == StructureKind::host_team ? Target::host : Target::device;
}

std::string check_placement(const Declaration& plugin, const Placement& placement) {
  const Access access = effective_access(plugin, placement);
  check_override(plugin, access);
  std::string rule = check_access(plugin.id, access, placement.structure, placement.partitions);
  if (plugin.is_v1()) rule = apply(v1_rule, plugin.id, placement.structure, placement.partitions);
  check_roles(plugin, placement);
  check_target(plugin, placement);
  check_options(plugin, placement, access);
  return rule;
}

}  // namespace eagle
