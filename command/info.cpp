// SPDX-License-Identifier: Apache-2.0
#include <eagle/error.hpp>
#include <eagle/structures.hpp>

#include "commands.hpp"
#include "console.hpp"

namespace eagle::command {
namespace {

int info() {
  const std::string launched = ranks();
  if (rank() != 0) return 0;
  print("eagle {}\n", EAGLE_VERSION);
  print("  artifacts: {}, {}; manifests of schema 1, 2 and 3\n", EAGLE_ABI_V1, EAGLE_ABI_V2);
  for (const StructureInfo& each : structures())
    print("  {:<14} {}: {}\n", name(each.kind), each.built ? "built" : "not built", each.detail);
  try {
    print("  devices: {}\n", devices());
  } catch (const Error& e) {
    print("  devices: {}\n", e.what());
  }
  if (!launched.empty()) print("  ranks: {}\n", launched);
  return 0;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  app.add_subcommand("info", "Print version, built structures and what they stand on")->callback([&action] { action = info; });
}

}  // namespace eagle::command
