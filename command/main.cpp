// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdio>
#include <new>
#include <sstream>

#include "commands.hpp"
#include "console.hpp"

namespace eagle::command {
namespace {

int run(int argc, char** argv) {
  CLI::App app("Run compiled per-sample bodies anywhere, cut anyhow, with the same bits.", "eagle");
  app.set_version_flag("--version", EAGLE_VERSION);
  app.require_subcommand(1);
  Action action;
  add_check(app, action);
  add_inspect(app, action);
  add_info(app, action);
  add_run(app, action);
  add_tune(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    std::ostringstream out, error;
    const int code = app.exit(e, out, error);
    print_lines(stdout, out.str());
    print_lines(stderr, error.str());
    return finish(code == 0 ? 0 : 2);
  }
  return finish(action());
}

}  // namespace
}  // namespace eagle::command

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error then
  try {
    return eagle::command::run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("eagle: no memory is left: take fewer samples or partitions, or raise the limit (ulimit -v)\n", stderr);
    return 1;
  } catch (const std::exception& e) {
    eagle::command::print_lines(stderr, fmt::format("eagle: {}\n", e.what()));
    return 1;
  }
}
