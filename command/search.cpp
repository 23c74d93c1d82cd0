// SPDX-License-Identifier: Apache-2.0
#include "search.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace eagle::command {
namespace {

/// A challenger takes over where it is faster by more than this.
constexpr double margin = 0.01;
/// And replaces the defaults in the end where it is faster by more than this.
constexpr double worth = 0.02;
/// A setting that takes so many times what it took before was disturbed.
constexpr double disturbed = 1.3;

/// The elements at the given distances from the one nearest to `value`.
template <class T>
std::vector<T> around(const std::vector<T>& values, T value, std::initializer_list<std::ptrdiff_t> steps) {
  std::vector<T> found;
  const auto place = std::ranges::lower_bound(values, value) - values.begin();
  for (const std::ptrdiff_t step : steps)
    if (place + step >= 0 && place + step < std::ssize(values)) found.push_back(values[static_cast<std::size_t>(place + step)]);
  return found;
}

class Climb {
 public:
  Climb(const Space& space, const Measure& measure) : space_(space), measure_(measure) {}

  Found all() && {
    for (const Setting& each : grid(space_)) challenge(each);
    return std::move(*this).found();
  }

  Found climb() && {
    challenge({});
    for (const int block : around(space_.blocks, 256, {0, -4, 4, -8, 8})) challenge({.block = block});
    for (const int threads : space_.threads)
      if (threads != space_.threads.back()) challenge({.threads = threads});
    if (!stopped_)
      for (const Setting& each : tilings(champion())) challenge(each);
    while (!stopped_ && challenge_neighbours()) {
    }
    if (found_.best != 0) face_defaults();
    return std::move(*this).found();
  }

 private:
  const Setting& champion() const { return found_.trials[found_.best].setting; }

  /// Measures a setting once; whether it is the new champion.
  bool challenge(Setting setting) {
    const bool all = !space_.threads.empty() && setting.threads == space_.threads.back();
    if (all && setting.schedule == Schedule::static_) setting.threads = 0;  // as by default
    const bool tried = std::ranges::find(found_.trials, setting, &Trial::setting) != found_.trials.end();
    if (stopped_ || tried) return false;
    const bool first = found_.trials.empty();
    const auto duel = undisturbed(setting, first ? setting : champion());
    if (!duel) return false;
    found_.trials.push_back({setting, first ? duel->champion : duel->challenger});
    if (first || duel->challenger > (1 - margin) * duel->champion) return false;
    found_.best = found_.trials.size() - 1;
    return true;
  }

  /// A duel in which the champion is about as fast as it was seen to be: in others something else had the cores. Of three such
  /// the last stands.
  std::optional<Duel> undisturbed(const Setting& challenger, const Setting& champion) {
    const auto known = std::ranges::find(found_.trials, champion, &Trial::setting);
    double seen = known == found_.trials.end() ? std::numeric_limits<double>::infinity() : known->seconds;
    for (int times = 1;; ++times) {
      const auto duel = measure_(challenger, champion);
      stopped_ = !duel;
      if (stopped_) return duel;
      if (known != found_.trials.end() && known->seconds > disturbed * duel->champion) known->seconds = duel->champion;
      seen = std::min(seen, challenger == champion ? std::min(duel->champion, duel->challenger) : duel->champion);
      if (times == 3 || duel->champion <= disturbed * seen) return duel;
    }
  }

  int threads_of(const Setting& setting) const {
    if (setting.threads > 1 || space_.threads.empty()) return setting.threads;
    return space_.threads.back();
  }

  /// Dynamic schedules of few, some and many tiles a thread.
  std::vector<Setting> tilings(const Setting& setting) const {
    std::vector<Setting> settings;
    const auto count = std::ssize(space_.tiles);
    if (threads_of(setting) > 1)
      for (const std::int64_t eighths : {6, 4, 2, 7, 1})
        if (const auto k = static_cast<std::size_t>(count * eighths / 8); count > 0)
          settings.push_back({.threads = threads_of(setting), .schedule = Schedule::dynamic, .tile = space_.tiles[k]});
    return settings;
  }

  std::vector<Setting> neighbours(const Setting& setting) const {
    std::vector<Setting> settings;
    const auto with = [&](auto member, auto value) {
      Setting other = setting;
      other.*member = value;
      settings.push_back(other);
    };
    if (setting.block > 0)
      for (const int block : around(space_.blocks, setting.block, {-1, 1})) with(&Setting::block, block);
    const bool dynamic = setting.schedule == Schedule::dynamic;
    if (dynamic)
      for (const std::int64_t tile : around(space_.tiles, setting.tile, {-1, 1, -2, 2})) with(&Setting::tile, tile);
    for (const int threads : around(space_.threads, setting.threads == 0 ? threads_of(setting) : setting.threads, {-1, 1}))
      if (threads > 1 || !dynamic) with(&Setting::threads, threads);
    return settings;
  }

  bool challenge_neighbours() {
    for (const Setting& each : neighbours(champion()))
      if (challenge(each)) return true;
    return false;
  }

  /// A last duel of the best with the defaults, which stay unless it pays to leave them.
  void face_defaults() {
    Trial& best = found_.trials[found_.best];
    Trial& defaults = found_.trials.front();
    const auto last = stopped_ ? std::nullopt : undisturbed(best.setting, defaults.setting);
    if (last) {
      best.seconds = last->challenger;
      defaults.seconds = last->champion;
    }
    if (best.seconds > (1 - worth) * defaults.seconds) found_.best = 0;
  }

  Found found() && {
    found_.complete = !stopped_;
    return std::move(found_);
  }

  const Space& space_;
  const Measure& measure_;
  Found found_;
  bool stopped_ = false;
};

}  // namespace

Space host_space(std::int64_t samples, int threads) {
  Space space;
  for (int each = 1; each < threads; each = std::max(each + 1, each * 3 / 2)) space.threads.push_back(each);
  space.threads.push_back(threads);
  for (std::int64_t tile = 1; threads > 1 && tile <= samples / 2; tile *= 2) space.tiles.push_back(tile);
  return space;
}

Space device_space() { return {.blocks = {32, 64, 96, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024}}; }

std::vector<Setting> grid(const Space& space) {
  std::vector<Setting> settings = {{}};
  for (const int block : space.blocks) settings.push_back({.block = block});
  for (const int threads : space.threads) {
    if (threads != space.threads.back()) settings.push_back({.threads = threads});
    if (threads == 1) continue;
    for (const std::int64_t tile : space.tiles)
      settings.push_back({.threads = threads, .schedule = Schedule::dynamic, .tile = tile});
  }
  return settings;
}

Found search(const Space& space, const Measure& measure) { return Climb(space, measure).climb(); }
Found search_all(const Space& space, const Measure& measure) { return Climb(space, measure).all(); }

}  // namespace eagle::command
