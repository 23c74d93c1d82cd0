// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace bench {
namespace {

// How many turns, and after how many seconds no more than the fewest.
constexpr int fewest_turns = 7, most_turns = 101;
constexpr double enough = 0.6;
// When disturbed turns are no longer discarded.
constexpr int most_discarded = 2 * most_turns;
constexpr double patience = 3 * enough;
/// What a sample takes at least: shorter calls are repeated within it.
constexpr double shortest_sample = 20e-6;
/// What a control may always take.
constexpr double quiet = 5e-6;
/// Of a ratio (a time that stands alone): how far apart its quartiles may be.
constexpr double steady = 0.1;

double control(const Crew& crew) {
  crew.meet();  // who sleeps wakes up
  return crew.largest(seconds([&] { crew.meet(); }));
}

/// Controls above this are disturbed: many threads or processes need longer than few.
double quiet_limit(const Crew& crew) {
  std::vector<double> controls;
  for (int k = 0; k < 31; ++k) controls.push_back(control(crew));
  return std::max(quiet, 4 * quartiles(std::move(controls)).median);
}

/// Gives the seconds of a call, from a batch of them.
class Sampler {
 public:
  Sampler(const Crew& crew, const Repeated& call) : crew_(crew), call_(call) {
    if (call_ == nullptr) return;
    call_(1);
    while ((*this)() * static_cast<double>(batch_) < shortest_sample) batch_ *= 2;
  }
  double operator()() const {
    if (call_ == nullptr) return 0;
    return crew_.largest(seconds([this] { call_(batch_); })) / static_cast<double>(batch_);
  }

 private:
  const Crew& crew_;
  const Repeated& call_;
  std::int64_t batch_ = 1;
};

struct Turns {
  std::vector<double> ours, baseline, ratio;
  int discarded = 0;
  bool disturbed = false;  ///< whether disturbed ones had to be kept
};

Turns turns_of(const Crew& crew, const Repeated& ours, const Repeated& baseline) {
  const Sampler sample_ours(crew, ours), sample_baseline(crew, baseline);
  const double limit = quiet_limit(crew);
  const auto start = std::chrono::steady_clock::now();
  Turns turns;
  double elapsed = 0;
  for (int kept = 0; kept < most_turns && (kept < fewest_turns || elapsed < enough);) {
    const bool swapped = kept % 2 == 1;
    double a = 0, b = 0;
    double slowest_control = control(crew);
    swapped ? b = sample_baseline() : a = sample_ours();
    slowest_control = std::max(slowest_control, control(crew));
    swapped ? a = sample_ours() : b = sample_baseline();
    const bool disturbed = std::max(slowest_control, control(crew)) > limit;
    elapsed = crew.largest(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    if (disturbed && turns.discarded < most_discarded && elapsed < patience) {
      ++turns.discarded;
      continue;
    }
    turns.disturbed = turns.disturbed || disturbed;
    turns.ours.push_back(a);
    turns.baseline.push_back(b);
    turns.ratio.push_back(b / a);
    ++kept;
  }
  return turns;
}

void report(benchmark::State& state, const Turns& turns, bool compared, std::int64_t bytes) {
  const auto count = [&](const std::string& name, const std::vector<double>& values) {
    const Quartiles q = quartiles(values);
    state.counters[name] = q.median;
    state.counters[name + "_low"] = q.low;
    state.counters[name + "_high"] = q.high;
    return (q.high - q.low) > steady * q.median;
  };
  bool noisy = count("ours", turns.ours);
  if (compared) {
    count("baseline", turns.baseline);
    noisy = count("ratio", turns.ratio);
  }
  const auto kept = static_cast<int>(turns.ours.size());
  state.counters["turns"] = kept;
  state.counters["discarded"] = turns.discarded;
  state.counters["noisy"] = noisy || turns.disturbed || turns.discarded > kept;
  state.counters["bytes"] = static_cast<double>(bytes);
}

}  // namespace

Quartiles quartiles(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    const double place = part * static_cast<double>(values.size() - 1);
    const auto k = static_cast<std::size_t>(place);
    return std::lerp(values[k], values[std::min(k + 1, values.size() - 1)], place - static_cast<double>(k));
  };
  return {at(0.25), at(0.5), at(0.75)};
}

void take_turns(benchmark::State& state, const Crew& crew, std::int64_t bytes, const Repeated& ours, const Repeated& baseline) {
  for (auto _ : state) {
    const Turns turns = turns_of(crew, ours, baseline);
    report(state, turns, baseline != nullptr, bytes);
    state.SetIterationTime(quartiles(turns.ours).median);
  }
}

}  // namespace bench
