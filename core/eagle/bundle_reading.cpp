// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <eagle/error.hpp>
#include <eagle/manifest.hpp>
#include <eagle/manifest_reading.hpp>
#include <eagle/paths.hpp>
#include <eagle/sidecar_reading.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle {
namespace fs = std::filesystem;
namespace detail {
namespace {

constexpr std::uint64_t most_sidecar_bytes = std::uint64_t{64} << 20;  // of all plugins of a bundle together

/// Reads one plugin of a bundle: its entry in the manifest, and the files that the entry names.
class PluginReader {
 public:
  /// `left` is how many bytes sidecars may still have.
  PluginReader(const fs::path& root, const Manifest& manifest, const PluginEntry& plugin, const Reader& entry,
               std::uint64_t& left)
      : root_(root), manifest_(manifest), plugin_(plugin), entry_(entry), left_(left) {}

  Declaration read() {
    Declaration result;
    if (const auto artifact = open_named(entry_, "artifact", root_, plugin_.artifact)) result.artifact = artifact->path;
    if (const auto sidecar = open_named(entry_, "sidecar", root_, plugin_.sidecar)) {
      result.sidecar = sidecar->path;
      read_sidecar_file(*sidecar, result);
    }
    result.id = plugin_.id;
    result.format = plugin_.format;
    result.order = plugin_.order;
    if (manifest_.axis.version == 1) result.targets = {plugin_.format == "host" ? Target::host : Target::device};
    if (result.ships(Target::host)) find_host_library(result);
    return result;
  }

 private:
  void read_sidecar_file(const BundleFile& sidecar, Declaration& result) {
    Report report = entry_.report().in(plugin_.sidecar);
    try {
      const std::uint64_t most = std::min<std::uint64_t>(json::most_bytes, left_);
      const auto text = std::make_shared<const std::string>(read_file(sidecar.descriptor, sidecar.path, most));
      left_ -= text->size();
      result.texts = {text};
      if (const auto json = parse_json(*text, report)) host_artifact_ = read_sidecar(*json, report, &manifest_.axis, result);
    } catch (const Error& error) {
      entry_.refuse(finding_code(error.code()), "sidecar", error.what());
    }
  }

  /// host_artifact if it is given, else the artifact's stem with .so beside it.
  void find_host_library(Declaration& result) const {
    if (plugin_.format == "host") {
      result.host_artifact = result.artifact;
      return;
    }
    const std::string& here = plugin_.host_artifact;
    if (!here.empty() && !host_artifact_.empty() && here != host_artifact_)
      return entry_.refuse("mismatch", "host_artifact",
                           fmt::format("host_artifact is {} here and {} in the sidecar: they must agree", in_quotes(here),
                                       in_quotes(host_artifact_)));
    const std::string given = here.empty() ? host_artifact_ : here;
    const std::string beside = fs::path(plugin_.artifact).replace_extension(".so").string();
    std::error_code ignored;
    if (fs::exists(root_ / (given.empty() ? beside : given), ignored)) {
      if (const auto file = open_named(entry_, "host_artifact", root_, given.empty() ? beside : given))
        result.host_artifact = file->path;
    } else {
      entry_.refuse("not-found", "host_artifact",
                    fmt::format("the host library is not there: neither host_artifact ({}) nor {} beside the artifact",
                                given.empty() ? "not given" : in_quotes(given), in_quotes(beside)));
    }
  }

  const fs::path& root_;
  const Manifest& manifest_;
  const PluginEntry& plugin_;
  const Reader& entry_;
  std::uint64_t& left_;
  std::string host_artifact_;
};

void read_bundle(const fs::path& path, Report& report, BundleReading& reading) {
  const Descriptor file = open_file(path);
  std::error_code error;
  const fs::path root = fs::canonical(path.has_parent_path() ? path.parent_path() : ".", error);
  if (error) fail_file(path, "its folder cannot be found", error.value());
  try {
    place_inside(root, file, "the manifest");
  } catch (const Error& e) {
    return report.add(finding_code(e.code()), "", e.what());
  }
  const auto text = std::make_shared<const std::string>(read_file(file, path, json::most_bytes));
  const auto json = parse_json(*text, report);
  if (!json) return;
  const Manifest manifest = read_manifest(*json, report);
  const bool neural = manifest.pattern == "neural_block";
  if (neural) refuse_launch(Reader(*json, report), "pattern", "pattern 'neural_block'");
  std::uint64_t left = most_sidecar_bytes;
  for (const PluginEntry& plugin : manifest.plugins) {
    if (plugin.valid && !plugin.enabled) reading.disabled.push_back(plugin.id);
    if (!plugin.enabled || !plugin.valid) continue;
    Report about = report.about(plugin.id);
    const std::size_t before = report.count();
    Declaration declaration = PluginReader(root, manifest, plugin, Reader(*plugin.value, about, plugin.pointer), left).read();
    declaration.manifest = root / path.filename();
    declaration.texts.insert(declaration.texts.begin(), text);
    if (manifest.valid && !neural && report.count() == before) reading.plugins.push_back(std::move(declaration));
  }
}

}  // namespace
}  // namespace detail

BundleReading read_bundle(const fs::path& bundle) {
  BundleReading reading;
  std::error_code error;
  const fs::path path = fs::is_directory(bundle, error) ? bundle / "manifest.json" : bundle;
  detail::Report::of(reading.findings, path.filename().string(),
                     [&](detail::Report& report) { detail::read_bundle(path, report, reading); });
  std::ranges::stable_sort(reading.plugins, {}, &Declaration::order);
  return reading;
}

}  // namespace eagle
