// SPDX-License-Identifier: Apache-2.0
// Private to eagle::host: a mapreduce whose partials never leave the cache. The body writes a tile of one block into
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

  /// Drives and folds a range; any number of threads at once, in any order. With `small`, stops as soon as the rest may pay
  /// for waking a team. Gives what is left.
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
