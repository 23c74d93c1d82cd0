// SPDX-License-Identifier: Apache-2.0
#include <eagle/axis.hpp>

#include <algorithm>

#include <eagle/abi.h>
#include <eagle/names.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle::detail {
namespace {

constexpr std::string_view axis_keys[] = {"exec_targets", "exec_access", "exec_op"};

void read_tag(const Reader& file, Need need, Axis& axis) {
  const std::string_view wanted = tag_of(axis.version);
  const auto* tag = file.get<std::string>("aether_abi");
  if (tag && *tag == wanted) {
    axis.abi = *tag;
  } else if (tag && !tag->empty()) {
    file.refuse(
        "bad-value", "aether_abi",
        fmt::format("schema v{} requires aether_abi='{}', and this is built for {}", axis.version, wanted, in_quotes(*tag)));
  } else if (need == Need::required && !file.has("aether_abi")) {
    file.refuse(
        "missing-key", "aether_abi",
        fmt::format("aether_abi is missing: nothing says which ABI this is built for; schema v{} requires aether_abi='{}'",
                    axis.version, wanted));
  }
}

void refuse_axis(const Reader& file) {
  for (const std::string_view key : axis_keys)
    if (file.has(key))
      file.refuse("forbidden-key", key,
                  fmt::format("{} is schema-v2-only: a schema v1 ({}) artifact must not carry it", key, EAGLE_ABI_V1));
}

void read_target(const Reader& file, const json::Value& element, std::size_t k, Axis& axis) {
  const auto* text = element.get<std::string>();
  const auto target = target_from(text ? std::string_view(*text) : std::string_view());
  const std::string place = std::to_string(k);
  if (!target)
    return file.refuse(text ? "bad-value" : "wrong-type", "exec_targets",
                       fmt::format("exec_targets[{}] must be {}, not {}", k, target_names(), json::describe(element)), place);
  if (std::ranges::find(axis.targets, *target) != axis.targets.end())
    file.refuse("duplicate", "exec_targets", fmt::format("exec_targets has '{}' twice: give each target once", *text), place);
  else axis.targets.push_back(*target);
}

void read_targets(const Reader& file, Axis& axis) {
  constexpr std::string_view wanted = "a non-empty list from 'device', 'host', without duplicates";
  const json::Value* found = file.find("exec_targets");
  if (!found)
    return file.refuse("missing-key", "exec_targets",
                       fmt::format("exec_targets is missing: schema v{} requires {}", axis.version, wanted));
  const auto* array = found->get<json::Array>();
  if (!array)
    return file.refuse("wrong-type", "exec_targets",
                       fmt::format("exec_targets must be {}, not {}", wanted, json::describe(*found)));
  if (array->empty())
    return file.refuse("bad-value", "exec_targets", fmt::format("exec_targets is empty: it must be {}", wanted));
  const std::size_t before = file.report().count();
  for (std::size_t k = 0; k < array->size(); ++k) read_target(file, (*array)[k], k, axis);
  if (file.report().count() > before) axis.targets.clear();
}

void read_access(const Reader& file, Axis& axis) {
  if (!file.has("exec_access"))
    return file.refuse("missing-key", "exec_access",
                       fmt::format("exec_access is missing: schema v{} requires it ({})", axis.version, access_names()));
  const auto* text = file.get<std::string>("exec_access");
  if (!text) return;
  axis.access = access_from(*text);
  if (!axis.access)
    file.refuse("bad-value", "exec_access",
                fmt::format("exec_access {} is not a supported access class (expected {})", in_quotes(*text), access_names()));
}

void read_op(const Reader& file, Axis& axis) {
  const bool reduces = axis.access == Access::mapreduce;
  if (!file.has("exec_op")) {
    if (reduces)
      file.refuse("missing-key", "exec_op", fmt::format("exec_access 'mapreduce' requires exec_op ({})", op_names()));
    return;
  }
  const auto* text = file.get<std::string>("exec_op");
  if (!text) return;
  axis.op = op_from(*text);
  if (!axis.op)
    file.refuse("bad-value", "exec_op",
                fmt::format("exec_op {} is not a supported reduction op (expected {})", in_quotes(*text), op_names()));
  if (axis.access && !reduces)
    file.refuse("forbidden-key", "exec_op",
                fmt::format("exec_op is forbidden unless exec_access is 'mapreduce', and it is '{}'", name(*axis.access)));
}

void disagree(const Reader& sidecar, std::string_view key, std::string_view here, std::string_view there) {
  sidecar.refuse("mismatch", key, fmt::format("{} is {} here and {} in the manifest: they must agree", key, here, there));
}

template <class T>
std::string shown(const std::optional<T>& value) {
  return value ? fmt::format("'{}'", name(*value)) : "absent";
}

}  // namespace

std::string_view tag_of(std::int64_t version) noexcept { return version == 1 ? EAGLE_ABI_V1 : EAGLE_ABI_V2; }

std::string list_of(const std::vector<Target>& targets) {
  std::string text;
  for (const Target target : targets) text += (text.empty() ? "" : ", ") + std::string(name(target));
  return text;
}

std::optional<std::int64_t> read_version(const Reader& file, std::string_view key) {
  const auto* version = file.get<std::int64_t>(key, Need::required);
  if (!version) return std::nullopt;
  if (*version >= 1 && *version <= newest_schema) return *version;
  if (*version > newest_schema)
    file.refuse(
        "upgrade", key,
        fmt::format("{} {} is newer than {}, the newest that this eagle reads: upgrade eagle", key, *version, newest_schema));
  else file.refuse("bad-value", key, fmt::format("{} {} is no schema version: 1 to {} are", key, *version, newest_schema));
  return std::nullopt;
}

Axis read_axis(const Reader& file, std::int64_t version, Need tag) {
  Axis axis;
  axis.version = version;
  read_tag(file, tag, axis);
  if (version == 1) {
    refuse_axis(file);
    return axis;
  }
  read_targets(file, axis);
  read_access(file, axis);
  read_op(file, axis);
  return axis;
}

void check_agreement(const Reader& sidecar, const Axis& axis, const Axis& manifest) {
  const auto differs = [](const auto& a, const auto& b) { return a && b && *a != *b; };
  if (!axis.abi.empty() && !manifest.abi.empty() && axis.abi != manifest.abi)
    disagree(sidecar, "aether_abi", in_quotes(axis.abi), in_quotes(manifest.abi));
  if (!axis.targets.empty() && !manifest.targets.empty() && !std::ranges::is_permutation(axis.targets, manifest.targets))
    disagree(sidecar, "exec_targets", list_of(axis.targets), list_of(manifest.targets));
  if (differs(axis.access, manifest.access)) disagree(sidecar, "exec_access", shown(axis.access), shown(manifest.access));
  if (differs(axis.op, manifest.op)) disagree(sidecar, "exec_op", shown(axis.op), shown(manifest.op));
}

}  // namespace eagle::detail
