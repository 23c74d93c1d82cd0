// SPDX-License-Identifier: Apache-2.0
#include <eagle/bundle.hpp>

#include <iterator>

#include <eagle/error.hpp>
#include <eagle/image_check.hpp>
#include <eagle/manifest.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle {
namespace {

struct Checked {
  std::vector<Plugin> plugins;
  std::vector<std::string> disabled;
  Findings findings;
};

Checked check_all(const std::filesystem::path& path) {
  BundleReading reading = read_bundle(path);
  Checked checked{{}, std::move(reading.disabled), std::move(reading.findings)};
  for (Declaration& declaration : reading.plugins) {
    std::map<Target, Image> images;
    for (const Target target : declaration.targets) {
      ImageCheck image = check_image(declaration, target);
      std::move(image.findings.begin(), image.findings.end(), std::back_inserter(checked.findings));
      images.emplace(target, std::move(image.image));
    }
    checked.plugins.emplace_back(std::move(declaration), std::move(images));
  }
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

Bundle load(const std::filesystem::path& path) {
  Checked checked = check_all(path);
  if (checked.findings.empty()) return {path, std::move(checked.plugins), std::move(checked.disabled)};
  std::string text = fmt::format("bundle {} is refused:", detail::printable(path.string()));
  for (const Finding& finding : checked.findings) text += "\n  " + to_string(finding);
  throw Error(Code::bundle, text);
}

}  // namespace eagle
