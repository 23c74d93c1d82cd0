// SPDX-License-Identifier: Apache-2.0
#include <eagle/partition.hpp>

#include <gmock/gmock.h>

#include <eagle/error.hpp>

namespace {

using eagle::Partition;

std::string refusal(const std::vector<Partition>& partitions) {
  try {
    eagle::check_cover(partitions);
  } catch (const eagle::Error& e) {
    EXPECT_EQ(e.code(), eagle::Code::partition);
    return e.what();
  }
  return "accepted";
}

TEST(Partition, SplitsEvenlyWithLargerPartsFirst) {
  EXPECT_EQ(eagle::split_evenly(10, 3), (std::vector<Partition>{{0, 4, 10}, {4, 3, 10}, {7, 3, 10}}));
  EXPECT_EQ(eagle::split_evenly(2, 4), (std::vector<Partition>{{0, 1, 2}, {1, 1, 2}, {2, 0, 2}, {2, 0, 2}}));
  EXPECT_EQ(eagle::split_evenly(0, 2), (std::vector<Partition>{{0, 0, 0}, {0, 0, 0}}));
}

TEST(Partition, EverySplitCovers) {
  for (std::int64_t n : {0L, 1L, 7L, 64L, 1000003L, 9007199254740993L})
    for (std::int64_t parts : {1, 2, 3, 7, 64}) EXPECT_NO_THROW(eagle::check_cover(eagle::split_evenly(n, parts)));
}

TEST(Partition, PartsOfAPartStayInside) {
  const Partition whole{100, 11, 500};
  EXPECT_EQ(eagle::part_of(whole, 3, 0), (Partition{100, 4, 500}));
  EXPECT_EQ(eagle::part_of(whole, 3, 2), (Partition{108, 3, 500}));
  EXPECT_THROW(eagle::part_of(whole, 3, 3), eagle::Error);
  EXPECT_THROW(eagle::part_of(whole, 0, 0), eagle::Error);
}

TEST(Partition, RefusesWhatDoesNotTile) {
  using testing::HasSubstr;
  EXPECT_THAT(refusal({}), HasSubstr("empty list"));
  EXPECT_THAT(refusal({{1, 9, 10}}), HasSubstr("partition 0 is (1, 9, 10): it must start"));
  EXPECT_THAT(refusal({{0, 4, 10}, {5, 5, 10}}), HasSubstr("partition 1 is (5, 5, 10)"));
  EXPECT_THAT(refusal({{0, 4, 10}, {3, 7, 10}}), HasSubstr("partition 1 is (3, 7, 10)"));
  EXPECT_THAT(refusal({{0, 4, 10}, {4, 6, 11}}), HasSubstr("n_samples differs"));
  EXPECT_THAT(refusal({{0, 4, 10}, {4, 7, 10}}), HasSubstr("beyond n_samples 10"));
  EXPECT_THAT(refusal({{0, 4, 10}}), HasSubstr("cover [0, 4)"));
  EXPECT_THAT(refusal({{0, -1, 10}}), HasSubstr("count must be at least 0"));
  EXPECT_THAT(refusal({{0, 0, -1}}), HasSubstr("n_samples must be at least 0"));
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(refusal({{0, most, most}, {most, most, most}}), HasSubstr("partition 1"));
}

TEST(Partition, EmptyPartsAreAccepted) {
  EXPECT_EQ(refusal({{0, 0, 3}, {0, 3, 3}, {3, 0, 3}}), "accepted");
  EXPECT_EQ(refusal({{0, 0, 0}}), "accepted");
}

}  // namespace
