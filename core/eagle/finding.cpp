// SPDX-License-Identifier: Apache-2.0
#include <eagle/finding.hpp>

#include <eagle/json.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle {

std::string to_string(const Finding& f) {
  return detail::printable(f.plugin.empty() ? fmt::format("{}: {}", f.pointer, f.message)
                                            : fmt::format("{} ({}): {}", f.plugin, f.pointer, f.message));
}

std::string to_json(const Findings& findings) {
  namespace json = detail::json;
  json::Array list;
  for (const Finding& f : findings)
    list.push_back(
        {json::Object{{"code", {f.code}}, {"plugin", {f.plugin}}, {"pointer", {f.pointer}}, {"message", {f.message}}}});
  return json::write({json::Object{{"ok", {findings.empty()}}, {"findings", {std::move(list)}}}}, true);
}

}  // namespace eagle
