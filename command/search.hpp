// SPDX-License-Identifier: Apache-2.0
// The tuner's search, apart from what it measures: coarse first, then the neighbours of the best.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <eagle/access.hpp>
#include <eagle/profile.hpp>

namespace eagle::command {

/// What there is to choose from, each list ascending.
struct Space {
  std::vector<int> threads = {};         ///< of a host team; the last is what it has by default
  std::vector<std::int64_t> tiles = {};  ///< of a dynamic schedule
  std::vector<int> blocks = {};          ///< of a device
};
Space host_space(std::int64_t samples, int threads);
Space device_space();

/// Every setting, the default (all open) first.
std::vector<Setting> grid(const Space& space);

/// Seconds a launch of two settings, measured in turn.
struct Duel {
  double challenger;
  double champion;
};
/// Nothing where the search is to stop.
using Measure = std::function<std::optional<Duel>(const Setting& challenger, const Setting& champion)>;

struct Trial {
  Setting setting;
  double seconds;  ///< a launch, as measured
};

struct Found {
  std::vector<Trial> trials;  ///< the default first, then in the order tried; empty where not even that was measured
  std::size_t best = 0;       ///< among them
  bool complete = false;      ///< whether it came to its end
};

/// Its best is the default unless another is faster by 2 % in a last duel of the two. A duel in which something else seems to
/// have had the cores is repeated.
Found search(const Space& space, const Measure& measure);

/// The same over the whole grid.
Found search_all(const Space& space, const Measure& measure);

}  // namespace eagle::command
