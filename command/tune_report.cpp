// SPDX-License-Identifier: Apache-2.0
#include "tune_report.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "console.hpp"

namespace eagle::command {
namespace {

constexpr std::size_t most_rows = 12;
constexpr int widest = 24;
/// Bars of more times the shortest are cut.
constexpr double longest = 3;

/// A bar of so many eighths of a cell, in Unicode's block elements.
std::string bar(int eighths) {
  static constexpr const char* parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  std::string text;
  for (int k = 0; k < eighths / 8; ++k) text += "█";
  return text + parts[eighths % 8];
}

std::string row(const Trial& trial, double fastest, const char* mark) {
  const double part = trial.seconds / fastest / longest;
  const int eighths = std::max(1, static_cast<int>(std::lround(8 * widest * std::min(part, 1.0))));
  std::string line = fmt::format("  {:<42} {:>10}  {}{}", to_string(trial.setting), duration_text(trial.seconds), bar(eighths),
                                 part > 1 ? "..." : "");
  if (*mark != '\0') line += fmt::format("{:{}}{}", "", widest + 1 - (eighths + 7) / 8, mark);
  return line + '\n';
}

}  // namespace

std::string duration_text(double seconds) {
  for (const auto& [unit, size] : {std::pair("s", 1.0), {"ms", 1e-3}, {"us", 1e-6}})
    if (seconds >= size) return fmt::format("{:.3g} {}", seconds / size, unit);
  return fmt::format("{:.3g} ns", seconds / 1e-9);
}

Progress::Progress(std::string what, Clock::time_point deadline)
    : what_(std::move(what)), deadline_(deadline), shows_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (shows_) put(stderr, "\r\033[K");
}

void Progress::tried(const Setting& setting, const Duel& duel) {
  ++count_;
  if (!shows_) return;
  const double left = std::max(0.0, std::chrono::duration<double>(deadline_ - Clock::now()).count());
  print_lines(stderr, what_);
  put(stderr, fmt::format(": {} tried, {} {}, at most {:.0f} s more\033[K\r", count_, to_string(setting),
                          duration_text(duel.challenger), left));
}

std::string table(const Found& found) {
  std::vector<std::size_t> order(found.trials.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return found.trials[k].seconds; });
  std::size_t rows = 0, hidden = 0;
  const double fastest = found.trials[order.front()].seconds;
  std::string text;
  for (const std::size_t k : order) {
    const bool shown = ++rows <= most_rows || k == 0 || k == found.best;
    hidden += shown ? 0 : 1;
    const char* mark = k == found.best ? (k == 0 ? "defaults, chosen" : "chosen") : "";
    if (shown) text += row(found.trials[k], fastest, mark);
  }
  return hidden == 0 ? text : text + fmt::format("  and {} slower\n", hidden);
}

std::string savings(const Found& found) {
  const double before = found.trials.front().seconds, after = found.trials[found.best].seconds;
  const char* cut = found.complete ? "" : ", as far as the time went";
  if (found.best == 0 && std::ranges::min(found.trials, {}, &Trial::seconds).seconds < before)
    return fmt::format("the defaults stay, {} a launch: none was 2 % faster when timed in turns with them{}",
                       duration_text(before), cut);
  if (found.best == 0) return fmt::format("the defaults are best: {} a launch{}", duration_text(before), cut);
  return fmt::format("{} saves {:.0f} % of a launch: {} instead of {}{}", to_string(found.trials[found.best].setting),
                     100 * (1 - after / before), duration_text(after), duration_text(before), cut);
}

}  // namespace eagle::command
