// SPDX-License-Identifier: Apache-2.0
// Results are checked against the baseline's before anything is timed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include <fmt/format.h>

#include "planes.hpp"

namespace bench {

/// Throws unless two values are no further apart than `tolerance`; 0 means the same value.
template <class T>
void require_close(T ours, T baseline, double tolerance = 0) {
  if (!(std::abs(static_cast<double>(ours) - static_cast<double>(baseline)) <= tolerance))
    throw std::runtime_error(fmt::format("the results differ: eagle has {:.17g}, the baseline {:.17g}, and {:.1g} is tolerated",
                                         static_cast<double>(ours), static_cast<double>(baseline), tolerance));
}

/// Throws unless two planes hold the same values.
template <class T>
void require_same(const T* ours, const T* baseline, std::int64_t n) {
  std::int64_t first = n;
#pragma omp parallel for schedule(static) reduction(min : first)
  for (std::int64_t i = 0; i < n; ++i)
    if (!(ours[i] == baseline[i])) first = std::min(first, i);
  if (first < n)
    throw std::runtime_error(fmt::format("the results differ: sample {} is {:.17g} of eagle, and {:.17g} of the baseline",
                                         first, static_cast<double>(ours[first]), static_cast<double>(baseline[first])));
}

/// Runs both, each from the pattern that `out` then holds, and throws unless they leave the same in it. `spare` is written.
template <class T, class Ours, class Baseline>
void require_same_output(T* out, T* spare, std::int64_t n, Pattern<T> before, const Ours& ours, const Baseline& baseline) {
  fill(out, n, before);
  ours();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) spare[i] = out[i];
  fill(out, n, before);
  baseline();
  require_same<T>(spare, out, n);
}

}  // namespace bench
