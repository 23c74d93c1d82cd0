// SPDX-License-Identifier: Apache-2.0
// Ratios within one run: candidate and baseline take turns, and each turn has a control beside it.
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace bench {

template <class F>
double seconds(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Those who run what is timed: the threads of a process, or the processes of a launcher.
class Crew {
 public:
  virtual ~Crew() = default;
  /// The control: something short that all take part in, and that takes long where another program has one of their cores.
  virtual void meet() const = 0;
  /// The largest of the processes' numbers, on each of them.
  [[nodiscard]] virtual double largest(double mine) const { return mine; }
};

/// A call, so many times over, with the loop compiled around it.
using Repeated = std::function<void(std::int64_t times)>;
template <class F>
Repeated repeated(F f) {
  return [f = std::move(f)](std::int64_t times) mutable {
    for (std::int64_t k = 0; k < times; ++k) f();
  };
}

struct Quartiles {
  double low, median, high;
};
/// Of at least one value; between two values by interpolation.
Quartiles quartiles(std::vector<double> values);

/// Times `ours` and, where there is one, `baseline` in turns, and sets the state's time and counters: ours, baseline (seconds a
/// call) and ratio (baseline / ours, turn by turn), each with _low and _high, turns, discarded, noisy, and `bytes`, those that
/// one call must move. Disturbed turns are discarded. Uses up the state's one iteration.
void take_turns(benchmark::State& state, const Crew& crew, std::int64_t bytes, const Repeated& ours, const Repeated& baseline);

template <class Ours, class Baseline>
void compare(benchmark::State& state, const Crew& crew, std::int64_t bytes, Ours ours, Baseline baseline) {
  take_turns(state, crew, bytes, repeated(std::move(ours)), repeated(std::move(baseline)));
}

template <class Ours>
void time_alone(benchmark::State& state, const Crew& crew, Ours ours) {
  take_turns(state, crew, 0, repeated(std::move(ours)), nullptr);
}

}  // namespace bench
