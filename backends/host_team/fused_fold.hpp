// SPDX-License-Identifier: Apache-2.0
// Private to eagle::host: a mapreduce whose partials never leave the cache. The body writes a tile of two blocks into
// scratch of the thread's own, and the tile is folded at once.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include <eagle/any_span.hpp>

#include "work.hpp"

namespace eagle::detail {

class FusedFold {
 public:
  explicit FusedFold(Work& work) : work_(work) {}

  /// The r-th of `parts` shares of a range, cut at block borders.
  static Range share(Range range, std::int64_t parts, std::int64_t r);
  /// Drives and folds a range; any number of threads at once, in any order. Stops early and gives what is left where `small`
  /// and the rest would pay for waking a team.
  Range drive(Range range, bool polls, bool small = false) noexcept;
  /// Adds the partition to the call's totals, once everything is driven and nothing has failed.
  void finish();

 private:
  Range drive_tiles(Range range, bool polls, bool small);
  void add(std::int64_t begin, std::vector<AnySpan> part);

  Work& work_;
  std::mutex mutex_;
  /// Parts by where they begin, one a reduction; neighbours are merged as they come, so that there are few.
  std::map<std::int64_t, std::vector<AnySpan>> parts_;
};

}  // namespace eagle::detail
