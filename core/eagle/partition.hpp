// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace eagle {

/// A run has at most so many parts.
constexpr std::int64_t most_parts = std::int64_t{1} << 24;

/// How many pieces of `size` cover `count` samples, also near 2^63.
constexpr std::int64_t pieces_of(std::int64_t count, std::int64_t size) noexcept {
  return count / size + (count % size != 0 ? 1 : 0);
}

/// One contiguous part of a run: samples [base, base + count) of n_samples. Everywhere 64-bit.
struct Partition {
  std::int64_t base = 0;
  std::int64_t count = 0;
  std::int64_t n_samples = 0;

  /// The one partition that covers n samples.
  static constexpr Partition whole(std::int64_t n) noexcept { return {0, n, n}; }
  [[nodiscard]] constexpr std::int64_t end() const noexcept { return base + count; }
  friend constexpr bool operator==(const Partition&, const Partition&) noexcept = default;
};

/// "(base, count, n_samples)".
std::string to_string(const Partition& partition);

/// The r-th of `parts` contiguous parts of `whole`, as even as possible, larger parts first; parts beyond the count are
/// empty. n_samples stays that of `whole`. Error(partition) unless 1 <= parts <= 2^24 and 0 <= r < parts.
Partition part_of(const Partition& whole, std::int64_t parts, std::int64_t r);

/// All parts of [0, n) in order. Error(partition) if n < 0 or parts is not in [1, 2^24].
std::vector<Partition> split_evenly(std::int64_t n, std::int64_t parts);

/// Error(partition), naming the first offender, unless the partitions are contiguous from 0, agree on n_samples and cover
/// [0, n_samples). A count of 0 is allowed, an empty list is not.
void check_cover(std::span<const Partition> partitions);

}  // namespace eagle
