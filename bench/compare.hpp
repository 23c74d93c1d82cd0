// SPDX-License-Identifier: Apache-2.0
// Ratios within one run: candidate and baseline take turns, and each turn has a control beside it.
#pragma once

#include <benchmark/benchmark.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace bench {

template <class F>
double seconds(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// An empty parallel region: about half a microsecond, unless another process has one of the cores.
inline bool disturbed() {
  constexpr double most = 5e-6;
  const auto region = [] {
#pragma omp parallel
    {
      benchmark::ClobberMemory();
    }
  };
  region();
  return seconds(region) > most;
}

/// Times `ours` and `baseline` in turn, `batch` calls a sample, in the state's number of undisturbed turns. Reports the
/// median of ours as the time, and as counters the baseline's median, baseline / ours (above 1: ours is faster), ours -
/// baseline in nanoseconds a call, and how many turns were discarded.
template <class Ours, class Baseline>
void compare(benchmark::State& state, Ours&& ours, Baseline&& baseline, int batch = 1) {
  const auto repeat = [batch](auto& f) {
    return seconds([&] {
             for (int k = 0; k < batch; ++k) f();
           }) /
           batch;
  };
  std::vector<double> a, b;
  int discarded = 0;
  repeat(ours), repeat(baseline);
  for (auto _ : state) {
    double first = 0, second = 0;
    for (bool again = true; again;) {
      const bool before = disturbed();
      first = repeat(ours);
      const bool between = disturbed();
      second = repeat(baseline);
      again = (before || between || disturbed()) && ++discarded < 10000;
    }
    a.push_back(first);
    b.push_back(second);
    state.SetIterationTime(first);
  }
  state.counters["ours_us"] = median(a) * 1e6;
  state.counters["baseline_us"] = median(b) * 1e6;
  state.counters["ratio"] = median(b) / median(a);
  state.counters["extra_ns"] = (median(a) - median(b)) * 1e9;
  state.counters["discarded"] = discarded;
}

}  // namespace bench
