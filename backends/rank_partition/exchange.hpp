// SPDX-License-Identifier: Apache-2.0
// Private to eagle::mpi: what ranks put together after each has run its parts.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <eagle/any_span.hpp>
#include <eagle/partition.hpp>
#include <eagle/structure.hpp>

#include "ranks.hpp"

namespace eagle::detail {

/// Completes every output plane of a call on every rank: of each partition, the part of each rank.
void gather(const Ranks& ranks, const Call& call, std::span<const Partition> partitions, const Memory& memory);

/// Merges what ranks hold in rank order, up a binomial tree: merge(bytes) takes what the next ranks have packed, and pack()
/// gives what this rank and those have, at most `most` bytes. Every rank but 0, which has all of it then, sends one message.
template <class Merge, class Pack>
void merge_up(const Ranks& ranks, std::size_t most, Merge&& merge, Pack&& pack) {
  int step = 1;
  for (; step < ranks.size() && (ranks.rank() & step) == 0; step *= 2)
    if (ranks.rank() + step < ranks.size()) merge(ranks.receive(ranks.rank() + step, most));
  if (ranks.rank() != 0) ranks.send(pack(), ranks.rank() - step);
}

/// What `count` spans of one component take at most: raw samples of two blocks, and two nodes, each a pair, a level.
constexpr std::size_t most_bytes(std::size_t count) { return count * (8 + 48 + 8 * (2 * 1023 + 2 * 2 * 63)); }
std::vector<std::byte> pack(std::span<const AnySpan> spans);
/// Replaces spans by packed ones of the same kinds. Error(internal) where they are not.
void unpack(std::span<const std::byte> bytes, std::span<AnySpan> spans);

}  // namespace eagle::detail
