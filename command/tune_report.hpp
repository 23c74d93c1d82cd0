// SPDX-License-Identifier: Apache-2.0
// What the tuner shows: how far it is, and what it found.
#pragma once

#include <chrono>
#include <string>

#include "search.hpp"

namespace eagle::command {

/// "1.23 ms", with the digits that count.
std::string duration_text(double seconds);

/// A line on a terminal, rewritten as the search goes; nothing elsewhere.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  Progress(std::string what, Clock::time_point deadline);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// After each duel.
  void tried(const Setting& setting, const Duel& duel);

 private:
  std::string what_;
  Clock::time_point deadline_;
  bool shows_;
  int count_ = 0;
};

/// A table of the settings tried, fastest first, with a bar of each one's time.
std::string table(const Found& found);

/// What choosing the best saves, in a sentence.
std::string savings(const Found& found);

}  // namespace eagle::command
