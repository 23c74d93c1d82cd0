// SPDX-License-Identifier: Apache-2.0
#include <new>
#include <sstream>

#include "commands.hpp"
#include "console.hpp"

int main(int argc, char** argv) {
  CLI::App app("Run compiled per-sample bodies anywhere, cut anyhow, with the same bits.", "eagle");
  app.set_version_flag("--version", EAGLE_VERSION);
  app.require_subcommand(1);
  eagle::command::Action action;
  eagle::command::add_check(app, action);
  eagle::command::add_inspect(app, action);
  eagle::command::add_info(app, action);
  eagle::command::add_run(app, action);
  eagle::command::add_tune(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    std::ostringstream out, error;
    const int code = app.exit(e, out, error);
    eagle::command::print_lines(stdout, out.str());
    eagle::command::print_lines(stderr, error.str());
    return eagle::command::finish(code == 0 ? 0 : 2);
  }
  try {
    return eagle::command::finish(action());
  } catch (const std::bad_alloc&) {
    eagle::command::print_lines(stderr,
                                "eagle: no memory is left: take fewer samples or partitions, or raise the limit (ulimit -v)\n");
    return 1;
  } catch (const std::exception& e) {
    eagle::command::print_lines(stderr, fmt::format("eagle: {}\n", e.what()));
    return 1;
  }
}
