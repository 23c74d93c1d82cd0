// SPDX-License-Identifier: Apache-2.0
// What the tuner measures: launches of one plugin under one setting after another.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <eagle/eagle.hpp>
#include <eagle/profile.hpp>

#include "search.hpp"

namespace eagle::command {

using Clock = std::chrono::steady_clock;

/// When to stop: asked to by a person, or out of time.
class Stop final : public Observer {
 public:
  /// From the first use on Ctrl-C stops launches and searches; once more, and it ends the program.
  explicit Stop(Clock::time_point deadline);
  [[nodiscard]] static bool interrupted() noexcept;
  [[nodiscard]] bool due() const noexcept;
  [[nodiscard]] Clock::time_point deadline() const noexcept { return deadline_; }
  void warning(std::string_view text) override;
  bool stop_requested() override { return due(); }

 private:
  Clock::time_point deadline_;
  std::set<std::string> told_;  ///< once is enough, and settings are many
};

/// Arguments that nobody has given, made up where that can be: floating-point planes and tables uniform in [0, 1), the same
/// each time, integer ones 0, numbers 1. Gives their names. Error(argument) naming one whose size nobody else knows.
std::vector<std::string> make_up(const Declaration& plugin, std::int64_t samples, std::vector<Array>& arrays, Values& values);

/// One plugin on one structure with its arguments, which stay the same for every launch.
class Tuner {
 public:
  /// `values` borrow arrays of host memory that outlive this object; outputs among them are not written.
  Tuner(const Plugin& plugin, StructureKind structure, std::int64_t samples, const Values& values, std::shared_ptr<Stop> stop);

  [[nodiscard]] const std::string& device() const noexcept { return device_; }
  /// How far apart the quartiles of one setting's samples lie, as a part of their median; the median over duels.
  [[nodiscard]] double noise() const;
  /// Medians over turns; nothing where it is to stop. Error(internal) where a setting gives other bits than the defaults.
  std::optional<Duel> duel(const Setting& challenger, const Setting& champion);

 private:
  struct Written {
    std::string name;
    ArrayView array;
    Array before, after;
  };
  void place(const Values& values);
  void keep_written();
  BoundPlan& bound(const Setting& setting);
  void check_bits(const Setting& setting, BoundPlan& plan);
  void restore();
  double seconds(BoundPlan& plan, int calls);
  int calls_of(BoundPlan& plan);

  Plugin plugin_;
  StructureKind structure_;
  std::int64_t samples_;
  std::shared_ptr<Stop> stop_;
  StructurePtr place_;  ///< whose memory the arrays are in
  std::string device_;
  std::vector<Array> arrays_;
  Values values_;
  std::vector<Written> written_;
  std::map<std::string, BoundPlan> plans_;
  std::vector<Array> folded_;  ///< what the defaults gave
  std::vector<double> spreads_;
  int calls_ = 0;
};

}  // namespace eagle::command
