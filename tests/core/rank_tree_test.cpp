// SPDX-License-Identifier: Apache-2.0
// What ranks do with spans, without ranks: parts merged up a binomial tree through their serialised form.
#include <eagle/partition.hpp>
#include <eagle/span.hpp>

#include <gtest/gtest.h>

#include "samples.hpp"

namespace {

using eagle::Span;
using Spans = std::vector<Span<double>>;

struct Traffic {
  std::int64_t messages = 0, bytes = 0, largest = 0;
};

std::vector<std::byte> message_of(const Span<double>& span, Traffic& traffic) {
  auto bytes = eagle::serialise(std::span(&span, 1));
  ++traffic.messages;
  traffic.bytes += static_cast<std::int64_t>(bytes.size());
  traffic.largest = std::max(traffic.largest, static_cast<std::int64_t>(bytes.size()));
  return bytes;
}

/// Rank r with the lowest set bit s sends to r - s, once it has what r + 1, r + 2, ... (below s) have sent.
Span<double> merged(Spans parts, Traffic& traffic) {
  for (std::size_t step = 1; step < parts.size(); step *= 2)
    for (std::size_t r = 0; r + step < parts.size(); r += 2 * step)
      parts[r].merge(eagle::deserialise<double>(message_of(parts[r + step], traffic)).front());
  return parts.front();
}

TEST(RankTree, AnyNumberOfRanksGivesTheValueOfOneInBoundedMessages) {
  const std::int64_t n = 70001;
  const std::vector<double> values = samples::generate<double>("cancelling", 3, static_cast<std::size_t>(n));
  for (const auto precision : {eagle::Precision::working, eagle::Precision::compensated}) {
    Span<double> whole(eagle::Op::sum, 0, precision);
    whole.append(values.data(), n);
    for (std::int64_t ranks = 1; ranks <= 64; ++ranks) {
      Spans parts;
      for (const eagle::Partition& part : eagle::split_evenly(n, ranks)) {
        parts.emplace_back(eagle::Op::sum, part.base, precision);
        parts.back().append(values.data() + part.base, part.count);
      }
      Traffic traffic;
      const Span<double> all = merged(parts, traffic);
      ASSERT_EQ(std::bit_cast<std::uint64_t>(all.finish(n)), std::bit_cast<std::uint64_t>(whole.finish(n))) << ranks;
      EXPECT_EQ(traffic.messages, ranks - 1);
      EXPECT_LE(traffic.largest, 48 + 8 * (1023 + 2 * 2 * 7 + 1023));
    }
  }
}

/// The length of a message is a matter of borders alone, so counts that no memory holds can be asked too: at most 16 KiB of
/// raw samples and two nodes a level.
TEST(RankTree, MessagesDoNotGrowWithTheRun) {
  std::int64_t largest = 0;
  for (const std::int64_t blocks : {std::int64_t{1} << 10, std::int64_t{1} << 30, std::int64_t{1} << 40}) {
    const std::int64_t begin = 1023, end = begin + 1 + blocks * 1024 + 1023;
    Span<double> span(eagle::Op::sum, begin);
    std::vector<Span<double>::Node> nodes;
    int level = 0;
    for (std::int64_t block = 1; block < end / 1024;) {
      level = 0;
      while (block % (std::int64_t{2} << level) == 0 && block + (std::int64_t{2} << level) <= end / 1024) ++level;
      nodes.push_back({level, block >> level, {1.0, 0.0}});
      block += std::int64_t{1} << level;
    }
    span.assign({1.0}, nodes, std::vector<double>(static_cast<std::size_t>(end % 1024), 1.0), end);
    Traffic traffic;
    const auto read = eagle::deserialise<double>(message_of(span, traffic));
    EXPECT_EQ(read.front().end(), end);
    largest = std::max(largest, traffic.largest);
  }
  EXPECT_LE(largest, 48 + 8 * (1 + 2 * 40 + 1023));
}

}  // namespace
