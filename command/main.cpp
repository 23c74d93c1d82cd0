// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include <eagle/error.hpp>

#include "commands.hpp"

int main(int argc, char** argv) {
  CLI::App app("Run compiled per-sample bodies anywhere, cut anyhow, with the same bits.", "eagle");
  app.set_version_flag("--version", EAGLE_VERSION);
  app.require_subcommand(1);
  eagle::command::Action action;
  eagle::command::add_check(app, action);
  eagle::command::add_inspect(app, action);
  eagle::command::add_info(app, action);
  eagle::command::add_run(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  try {
    return action();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "eagle: %s\n", e.what());
    return 1;
  }
}
