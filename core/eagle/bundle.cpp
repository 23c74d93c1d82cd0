// SPDX-License-Identifier: Apache-2.0
#include <eagle/bundle.hpp>

#include <iterator>

#include <eagle/error.hpp>
#include <eagle/image_check.hpp>
#include <eagle/manifest.hpp>
#include <fmt/format.h>

namespace eagle {
namespace {

struct Checked {
  std::vector<Plugin> plugins;
  Findings findings;
};

Checked check_all(const std::filesystem::path& path) {
  BundleReading reading = read_bundle(path);
  Checked checked{{}, std::move(reading.findings)};
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

std::string ids_of(const std::vector<Plugin>& plugins) {
  std::string ids;
  for (const Plugin& plugin : plugins) ids += fmt::format("{}'{}'", ids.empty() ? "" : ", ", plugin.id());
  return ids.empty() ? "none" : ids;
}

}  // namespace

Bundle::Bundle(std::filesystem::path path, std::vector<Plugin> plugins)
    : path_(std::move(path)), plugins_(std::move(plugins)) {}

const Plugin& Bundle::at(std::string_view id) const {
  for (const Plugin& plugin : plugins_)
    if (plugin.id() == id) return plugin;
  throw Error(Code::argument, fmt::format("bundle {} has no plugin '{}': it holds {}", path_.string(), id, ids_of(plugins_)));
}

const Plugin& Bundle::only() const {
  if (plugins_.size() == 1) return plugins_.front();
  throw Error(Code::argument, fmt::format("bundle {} holds {} plugins and one is wanted: choose one of {}", path_.string(),
                                          plugins_.size(), ids_of(plugins_)));
}

Findings check(const std::filesystem::path& bundle) { return check_all(bundle).findings; }

Bundle load(const std::filesystem::path& path) {
  Checked checked = check_all(path);
  if (checked.findings.empty()) return {path, std::move(checked.plugins)};
  std::string text = fmt::format("bundle {} is refused:", path.string());
  for (const Finding& finding : checked.findings) text += "\n  " + to_string(finding);
  throw Error(Code::bundle, text);
}

}  // namespace eagle
