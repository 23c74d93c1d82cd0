// SPDX-License-Identifier: Apache-2.0
#include <eagle/manifest.hpp>

#include <algorithm>
#include <set>

#include <eagle/manifest_reading.hpp>
#include <eagle/names.hpp>
#include <eagle/neural.hpp>
#include <eagle/paths.hpp>
#include <eagle/sidecar_reading.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle {
namespace detail {
namespace {

constexpr std::string_view formats[] = {"ptx", "cubin", "fatbin", "host"};

constexpr std::size_t most_plugins = 1024;

class ManifestReader {
 public:
  ManifestReader(const json::Value& manifest, Report& report) : file_(manifest, report) {}

  Manifest read() {
    const std::size_t before = file_.report().count();
    const auto version = read_schema();
    if (!version) return {};
    manifest_.axis = read_axis(file_, *version, Need::required);
    read_pattern();
    const std::vector<Reader> entries = read_entries();
    const bool fits = file_.report().count() == before;
    for (const Reader& entry : entries) read_plugin(entry);
    const std::size_t between = file_.report().count();
    read_blocks();
    manifest_.valid = fits && file_.report().count() == between;
    return std::move(manifest_);
  }

 private:
  /// schema_version, or `version` in old manifests. Where both are there, both must be known, and agree.
  std::optional<std::int64_t> read_schema() const {
    if (!file_.find("version")) return read_version(file_, "schema_version");
    const auto legacy = read_version(file_, "version");
    if (!legacy || !file_.find("schema_version")) return legacy;
    const auto version = read_version(file_, "schema_version");
    if (!version || *version == *legacy) return version;
    file_.refuse("mismatch", "version",
                 fmt::format("version is {} and schema_version is {}: they must agree", *legacy, *version));
    return std::nullopt;
  }

  void read_pattern() {
    const std::string* pattern = file_.text("pattern", Need::required);
    if (!pattern) return;
    manifest_.pattern = *pattern;
    if (std::ranges::find(patterns, *pattern) == std::end(patterns))
      file_.refuse("bad-value", "pattern",
                   fmt::format("pattern {} is not a supported plugin family (expected one of {})", in_quotes(*pattern),
                               one_of(patterns)));
  }

  std::vector<Reader> read_entries() const {
    std::vector<Reader> entries = file_.objects("plugins", Need::required);
    if (entries.size() <= most_plugins) return entries;
    file_.refuse(
        "bad-value", "plugins",
        fmt::format("plugins has {} entries: at most {} are accepted, make several bundles", entries.size(), most_plugins));
    return {};
  }

  void read_plugin(const Reader& unnamed) {
    const auto* id = unnamed.value().find("id");
    const auto* text = id ? id->get<std::string>() : nullptr;
    Report report = file_.report().about(text ? *text : std::string());
    const Reader entry(unnamed.value(), report, unnamed.pointer());
    const std::size_t before = report.count();
    PluginEntry plugin;
    plugin.value = &entry.value();
    plugin.pointer = entry.pointer();
    if (entry.name("id", Need::required)) read_id(entry, *text, plugin);
    if (const auto* order = entry.get<std::int64_t>("order", Need::required)) plugin.order = *order;
    if (const bool* enabled = entry.get<bool>("enabled", Need::required)) plugin.enabled = *enabled;
    read_path(entry, "artifact", Need::required, plugin.artifact);
    read_path(entry, "sidecar", Need::required, plugin.sidecar);
    read_path(entry, "host_artifact", Need::optional, plugin.host_artifact);
    read_format(entry, plugin);
    plugin.valid = report.count() == before;
    manifest_.plugins.push_back(std::move(plugin));
  }

  void read_id(const Reader& entry, const std::string& id, PluginEntry& plugin) {
    plugin.id = id;
    if (!ids_.insert(id).second)
      entry.refuse("duplicate", "id", fmt::format("the id {} is taken by a plugin before: give each its own", in_quotes(id)));
  }

  static void read_path(const Reader& entry, std::string_view key, Need need, std::string& path) {
    const std::string* text = entry.name(key, need);
    if (text && is_inside(entry, key, *text)) path = *text;
  }

  void read_format(const Reader& entry, PluginEntry& plugin) const {
    const std::string* format = entry.text("format", Need::required);
    if (!format) return;
    plugin.format = *format;
    const auto& targets = manifest_.axis.targets;
    if (std::ranges::find(formats, *format) == std::end(formats))
      return entry.refuse("bad-value", "format",
                          fmt::format("unknown artifact format {} (expected one of {})", in_quotes(*format), one_of(formats)));
    const bool for_device = std::ranges::count(targets, Target::device) > 0;
    if (!targets.empty() && for_device == (*format == "host"))
      entry.refuse(
          "mismatch", "format",
          fmt::format("format '{}' does not suit exec_targets {}: the artifact of a bundle for the device is its device file",
                      *format, list_of(targets)));
  }

  void read_blocks() const {
    if (!file_.has("blocks")) return;
    if (!manifest_.pattern.empty() && manifest_.pattern != "neural_block")
      file_.refuse("forbidden-key", "blocks",
                   fmt::format("a manifest carrying blocks[] must declare pattern 'neural_block', not {}",
                               in_quotes(manifest_.pattern)));
    for (const Reader& block : file_.objects("blocks")) {
      const auto* pattern = block.get<std::string>("pattern", Need::required);
      if (pattern && *pattern != "neural_block")
        block.refuse("bad-value", "pattern",
                     fmt::format("pattern of a block must be 'neural_block', not {}", in_quotes(*pattern)));
      check_neural_block(block);
      check_neural_kernels(block, ids_);
    }
  }

  Reader file_;
  Manifest manifest_;
  std::set<std::string> ids_;
};

}  // namespace

Manifest read_manifest(const json::Value& manifest, Report& report) {
  if (manifest.get<json::Object>()) return ManifestReader(manifest, report).read();
  report.add("wrong-type", "", fmt::format("a manifest must be an object, not {}", json::describe(manifest)));
  return {};
}

}  // namespace detail

Findings validate_manifest(const std::filesystem::path& manifest) {
  Findings findings;
  detail::Report::of(findings, manifest.filename().string(), [&](detail::Report& report) {
    if (const auto json = detail::read_json(manifest, report)) detail::read_manifest(*json, report);
  });
  return findings;
}

}  // namespace eagle
