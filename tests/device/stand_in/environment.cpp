// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <format>
#include <ostream>
#include <sstream>

#include "state.hpp"

namespace stand_in {
namespace {

std::string variable(const char* name) {
  const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): read when the process starts
  return text == nullptr ? "" : text;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

template <class T>
T number(const std::string& text, T otherwise) {
  return text.empty() ? otherwise : static_cast<T>(std::stoll(text));
}

/// What is alive and of interest when the process ends.
void write_log() {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  std::FILE* const file = std::fopen(all.settings.log.c_str(), "a");
  if (file == nullptr) return;
  std::string text;
  for (const Call& call : all.calls) text += call.symbol + " " + call.text + "\n";
  for (const std::string& misuse : all.misuses) text += "misuse: " + misuse + "\n";
  std::ostringstream left;
  left << outstanding();
  text += "outstanding: " + left.str() + "\n";
  std::fwrite(text.data(), 1, text.size(), file);
  std::fclose(file);
}

}  // namespace

Settings settings_of_environment() {
  Settings settings;
  settings.devices = number(variable("STAND_IN_DEVICES"), settings.devices);
  settings.version = number(variable("STAND_IN_VERSION"), settings.version);
  settings.memory = number(variable("STAND_IN_MEMORY"), settings.memory);
  settings.protect = variable("STAND_IN_PROTECT") != "0";
  settings.folders = split(variable("STAND_IN_TWINS"), ':');
  settings.log = variable("STAND_IN_LOG");
  for (const std::string& pair : split(variable("STAND_IN_ATTRIBUTES"), ','))
    if (const auto parts = split(pair, ':'); parts.size() == 2) settings.attributes[std::stoi(parts[0])] = std::stoi(parts[1]);
  for (const std::string& failure : split(variable("STAND_IN_FAIL"), ','))
    if (const auto parts = split(failure, ':'); parts.size() == 3)
      settings.failing.push_back({parts[0], std::stoi(parts[1]), std::stoi(parts[2]), is_sticky(std::stoi(parts[2]))});
  static const bool logged = !settings.log.empty() && std::atexit(write_log) == 0;
  static_cast<void>(logged);
  return settings;
}

Outstanding outstanding() {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  Outstanding left;
  for (const auto& [address, block] : all.blocks) {
    if (block.life == Life::freed || block.free_queued || block.of_module) continue;
    if (block.kind == Kind::pinned) ++left.pinned;
    else ++left.allocations, left.bytes += block.bytes;
  }
  for (const StreamPointer& stream : all.streams)
    if (!stream->destroyed && stream->identity != 0) ++left.streams;
  left.events = all.events.size();
  left.modules = all.modules.size();
  left.graphs = all.graphs.size() + all.execs.size();
  for (const auto& [device, context] : all.contexts) left.contexts += static_cast<std::size_t>(context->retains);
  return left;
}

std::ostream& operator<<(std::ostream& out, const Outstanding& left) {
  return out << std::format("{} allocations of {} bytes, {} pinned, {} streams, {} events, {} modules, {} graphs, {} retains",
                            left.allocations, left.bytes, left.pinned, left.streams, left.events, left.modules, left.graphs,
                            left.contexts);
}

}  // namespace stand_in
