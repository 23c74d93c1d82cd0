// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <eagle/bundle.hpp>
#include <eagle/error.hpp>

#include "commands.hpp"
#include "console.hpp"

namespace eagle::command {
namespace {

/// For programs: a bundle that is not there is a finding like any other.
int check_as_json(const std::string& path) {
  Findings findings;
  try {
    findings = check(path);
  } catch (const Error& e) {
    findings.push_back({e.code() == Code::not_found ? "not-found" : "unreadable", "", path, e.what()});
  }
  put(stdout, to_json(findings) + "\n");
  return findings.empty() ? 0 : 1;
}

int check_for_people(const std::string& path) {
  const Findings findings = check(path);
  if (findings.empty()) print("{}: ok\n", path);
  for (const Finding& finding : findings) print("{}\n", to_string(finding));
  return findings.empty() ? 0 : 1;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("check", "Print every defect of a bundle; nothing of it is run");
  auto path = std::make_shared<std::string>();
  auto as_json = std::make_shared<bool>(false);
  command->add_option("BUNDLE", *path, "Bundle folder or its manifest.json")->required();
  command->add_flag("--json", *as_json, R"(Print {"ok", "findings": [{"code", "plugin", "pointer", "message"}]})");
  command->callback([=, &action] { action = [=] { return *as_json ? check_as_json(*path) : check_for_people(*path); }; });
}

}  // namespace eagle::command
