// SPDX-License-Identifier: Apache-2.0
#include <eagle/bundle.hpp>

#include <eagle/digest.hpp>
#include <eagle/error.hpp>
#include <eagle/image_check.hpp>
#include <eagle/manifest.hpp>
#include <eagle/plugin_files.hpp>
#include <eagle/reader.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle {
namespace {

struct Checked {
  std::vector<Plugin> plugins;
  std::vector<std::string> disabled;
  Findings findings;
};

/// Of all artifacts of a bundle together, which are kept in memory.
constexpr std::uint64_t most_artifact_bytes = std::uint64_t{1} << 30;

/// Checks the artifacts of the plugins, and gives those that have them to `checked`.
void check_artifacts(std::vector<Declaration>& plugins, detail::Report& report, std::vector<Plugin>& checked) {
  std::uint64_t bytes = 0;
  for (Declaration& declaration : plugins) {
    std::map<Target, Image> images;
    for (const Target target : declaration.targets) {
      ImageCheck image = check_image(declaration, target);
      for (Finding& finding : image.findings) report.add(std::move(finding));
      bytes += image.image.bytes ? image.image.bytes->size() : 0;
      if (bytes > most_artifact_bytes)
        return report.add(
            "unreadable", "",
            fmt::format("the artifacts have more than {} bytes together: make several bundles", most_artifact_bytes));
      images.emplace(target, std::move(image.image));
    }
    checked.emplace_back(std::move(declaration), std::move(images));
  }
}

Checked check_all(const std::filesystem::path& path) {
  BundleReading reading = read_bundle(path);
  Checked checked{{}, std::move(reading.disabled), std::move(reading.findings)};
  detail::Report::of(checked.findings, "manifest.json",
                     [&](detail::Report& report) { check_artifacts(reading.plugins, report, checked.plugins); });
  return checked;
}

void append(std::string& ids, const std::string& id) { ids += (ids.empty() ? "" : ", ") + detail::in_quotes(id); }

/// What a bundle holds, for a message.
std::string ids_of(const std::vector<Plugin>& plugins, const std::vector<std::string>& disabled) {
  std::string ids, off;
  for (const Plugin& plugin : plugins) append(ids, plugin.id());
  for (const std::string& id : disabled) append(off, id);
  return (ids.empty() ? "none" : ids) + (off.empty() ? "" : fmt::format(" (its manifest disables {})", off));
}

void check_text(std::string_view digest) {
  const bool hexadecimal = digest.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (!digest.empty() && (digest.size() != 64 || !hexadecimal))
    throw Error(Code::argument,
                fmt::format("the required digest is {}: 64 digits of 0-9 and a-f are accepted, as eagle inspect "
                            "prints them",
                            detail::in_quotes(digest)));
}

void require(const Bundle& bundle, std::string_view digest, const std::filesystem::path& path) {
  if (const std::string found = bundle.digest(); found != digest)
    throw Error(Code::bundle,
                fmt::format("bundle {} is refused: its digest is {}, and {} is required: it is not the bundle that "
                            "you have looked at",
                            detail::printable(path.string()), found, digest));
  for (const Plugin& plugin : bundle) plugin.pin();
}

}  // namespace

Bundle::Bundle(std::filesystem::path path, std::vector<Plugin> plugins, std::vector<std::string> disabled)
    : path_(std::move(path)), plugins_(std::move(plugins)), disabled_(std::move(disabled)) {}

const Plugin& Bundle::at(std::string_view id) const {
  for (const Plugin& plugin : plugins_)
    if (plugin.id() == id) return plugin;
  throw Error(Code::argument, fmt::format("bundle {} has no plugin {}: it holds {}", detail::printable(path_.string()),
                                          detail::in_quotes(id), ids_of(plugins_, disabled_)));
}

const Plugin& Bundle::only() const {
  if (plugins_.size() == 1) return plugins_.front();
  throw Error(Code::argument, fmt::format("bundle {} holds {} plugins and one is wanted: choose one of {}",
                                          detail::printable(path_.string()), plugins_.size(), ids_of(plugins_, disabled_)));
}

Findings check(const std::filesystem::path& bundle) { return check_all(bundle).findings; }

std::string Bundle::digest() const {
  if (plugins_.empty())
    throw Error(Code::unsupported,
                fmt::format("bundle {} enables no plugin: there is nothing to digest", detail::printable(path_.string())));
  std::vector<std::string_view> texts;
  for (const Plugin& plugin : plugins_) {
    const auto more = detail::texts_of(plugin, texts.empty());
    texts.insert(texts.end(), more.begin(), more.end());
  }
  return detail::digest_of(texts);
}

Bundle load(const std::filesystem::path& path, const LoadOptions& options) {
  check_text(options.digest);
  Checked checked = check_all(path);
  if (checked.findings.empty()) {
    Bundle bundle(path, std::move(checked.plugins), std::move(checked.disabled));
    if (!options.digest.empty()) require(bundle, options.digest, path);
    return bundle;
  }
  std::string text = fmt::format("bundle {} is refused:", detail::printable(path.string()));
  for (const Finding& finding : checked.findings) text += "\n  " + to_string(finding);
  throw Error(Code::bundle, text);
}

}  // namespace eagle
