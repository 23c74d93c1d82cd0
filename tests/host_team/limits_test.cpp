// SPDX-License-Identifier: Apache-2.0
// Counts beyond 32 bits, on a body that counts indices by their remainder of 3 and so touches three
// slots however many samples there are.
#include <eagle/eagle.hpp>

#include <limits>

#include "support.hpp"

namespace {

std::vector<std::int64_t> count(const std::string& name, std::int64_t n) {
  std::vector<std::int64_t> counts(3);
  eagle::plan(eagle::load(support::bundle(name)).only(), {.structure = eagle::host_team(), .n_samples = n})
      .run({{"counts", eagle::view(counts)}});
  return counts;
}

/// How many of 0, ..., n - 1 leave 0, 1 and 2.
std::vector<std::int64_t> remainders(std::int64_t n) { return {(n + 2) / 3, (n + 1) / 3, n / 3}; }

TEST(Limits, AboveTwoToThe31WithAFourByteIndex) {
  const std::int64_t n = (std::int64_t{1} << 31) + 3;
  EXPECT_EQ(count("count_index", n), remainders(n));
}

TEST(Limits, AboveTwoToThe32WithAnEightByteIndex) {
  const std::int64_t n = (std::int64_t{1} << 32) + 3;
  EXPECT_EQ(count("count_index64", n), remainders(n));
}

TEST(Limits, MoreThanAFourByteIndexReachesIsRefused) {
  const std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  EXPECT_THAT(support::refusal(eagle::Code::limit, [&] { count("count_index", most + 1); }),
              testing::HasSubstr("plugin 'count_index': 4294967296 samples are more than the artifact can index"));
}

}  // namespace
