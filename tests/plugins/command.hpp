// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <regex>
#include <stdexcept>
#include <string>

struct Outcome {
  int status;        ///< 0: success
  std::string text;  ///< standard output and error, each run of blanks and line ends as one blank
};

/// Runs a shell command.
inline Outcome run_command(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string text;
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  const int status = pclose(pipe);
  return {status, std::regex_replace(text, std::regex("\\s+"), " ")};
}
