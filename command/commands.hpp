// SPDX-License-Identifier: Apache-2.0
// The subcommands of `eagle`. Each adds itself to the parser and, when it is the one asked for, sets what main then does.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace eagle::command {

/// Returns the exit code: 0 ok, 1 refused or failed.
using Action = std::function<int()>;

/// For options whose empty value is likely an unset variable.
inline std::string is_not_empty(const std::string& value) { return value.empty() ? "is empty" : ""; }

/// --require-digest, for load().
inline void add_digest(CLI::App& command, std::string& digest) {
  command
      .add_option("--require-digest", digest,
                  "SHA-256 that the bundle must have, as eagle inspect prints it; a copy of just those bytes is run")
      ->check(is_not_empty);
}

void add_check(CLI::App& app, Action& action);
void add_inspect(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_tune(CLI::App& app, Action& action);

}  // namespace eagle::command
