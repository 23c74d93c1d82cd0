// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <eagle/bundle.hpp>

#include "commands.hpp"
#include "console.hpp"

namespace eagle::command {
namespace {

int inspect(const std::string& path, const std::string& digest) {
  const Bundle bundle = load(path, {digest});
  for (const Plugin& plugin : bundle) {
    const Declaration& declaration = plugin.declaration();
    print("{}  kernel {}, artifact {} ({})", to_string(plugin), declaration.kernel, declaration.artifact.string(),
          declaration.format);
    if (declaration.host_artifact && *declaration.host_artifact != declaration.artifact)
      print(", host library {}", declaration.host_artifact->string());
    print("\n");
    for (const Target target : declaration.targets)
      print("  {} index: {} bits\n", name(target), plugin.index_bytes(target) * 8);
    print("  digest: {}\n", plugin.digest());
  }
  if (bundle.size() > 1) print("digest of the bundle: {}\n", bundle.digest());
  return 0;
}

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("inspect", "Print the plugins of a bundle: how they touch data, their arguments and files");
  auto path = std::make_shared<std::string>();
  command->add_option("BUNDLE", *path, "Bundle folder or its manifest.json")->required();
  auto digest = std::make_shared<std::string>();
  add_digest(*command, *digest);
  command->callback([=, &action] { action = [=] { return inspect(*path, *digest); }; });
}

}  // namespace eagle::command
