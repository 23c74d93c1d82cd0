// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <eagle/bundle.hpp>
#include <fmt/format.h>

#include "commands.hpp"

namespace eagle::command {
namespace {

int check_bundle(const std::string& path, bool as_json) {
  const Findings findings = check(path);
  if (as_json) fmt::print("{}\n", to_json(findings));
  else if (findings.empty()) fmt::print("{}: ok\n", path);
  else
    for (const Finding& finding : findings) fmt::print("{}\n", to_string(finding));
  return findings.empty() ? 0 : 1;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("check", "Print every defect of a bundle; nothing of it is run");
  auto path = std::make_shared<std::string>();
  auto as_json = std::make_shared<bool>(false);
  command->add_option("BUNDLE", *path, "Bundle folder or its manifest.json")->required();
  command->add_flag("--json", *as_json, R"(Print {"ok", "findings": [{"code", "plugin", "pointer", "message"}]})");
  command->callback([=, &action] { action = [=] { return check_bundle(*path, *as_json); }; });
}

}  // namespace eagle::command
