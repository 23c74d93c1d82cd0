// SPDX-License-Identifier: Apache-2.0
#include <eagle/array.hpp>

#include <gmock/gmock.h>

#include <cstring>
#include <limits>
#include <span>

#include <eagle/error.hpp>
#include <eagle/number.hpp>

namespace {

using eagle::DType;
using eagle::Number;

TEST(Array, ViewsOfRangesCarryTypeShapeAndConstness) {
  std::vector<float> data(5);
  const eagle::ArrayView array = eagle::view(data);
  EXPECT_EQ(array.dtype, DType::float32);
  EXPECT_EQ(array.shape, (eagle::Extents{5}));
  EXPECT_FALSE(array.read_only);
  EXPECT_TRUE(eagle::view(std::span<const float>(data)).read_only);
}

TEST(Array, ContiguityFollowsTheStrides) {
  double data[12];
  EXPECT_TRUE(eagle::view(data, DType::float64, {3, 4}).is_contiguous());
  EXPECT_FALSE(eagle::view(data, DType::float64, {4, 3}, {1, 4}).is_contiguous());
  EXPECT_TRUE(eagle::view(data, DType::float64, {1, 3}, {77, 1}).is_contiguous());
  EXPECT_TRUE(eagle::view(data, DType::float64, {0, 3}, {5, 9}).is_contiguous());
}

TEST(Array, RefusesImpossibleViews) {
  double data[1];
  EXPECT_THROW(eagle::view(data, DType::float64, {-1}), eagle::Error);
  EXPECT_THROW(eagle::view(data, DType::float64, {2, 2}, {1}), eagle::Error);
  EXPECT_THROW(eagle::view(static_cast<void*>(nullptr), DType::float64, {1}), eagle::Error);
  EXPECT_NO_THROW(eagle::view(static_cast<void*>(nullptr), DType::float64, {0}));
  const std::int64_t half = std::int64_t{1} << 62;
  EXPECT_THROW(eagle::view(data, DType::float64, {half, 4}), eagle::Error);
}

TEST(Array, ExtremesDoNotOverflow) {
  double data[1];
  const std::int64_t half = std::int64_t{1} << 62, most = std::numeric_limits<std::int64_t>::max();
  const eagle::ArrayView empty = eagle::view(data, DType::float64, {half, half, 0});
  EXPECT_EQ(empty.size(), 0);
  EXPECT_TRUE(empty.is_contiguous());
  EXPECT_THROW(eagle::view(data, DType::float64, {2}, {most}), eagle::Error);
  EXPECT_THROW(eagle::view(data, DType::float64, {2}, {std::numeric_limits<std::int64_t>::min()}), eagle::Error);
  EXPECT_NO_THROW(eagle::view(data, DType::float64, {1}, {most / 8}));
}

TEST(Array, OwnedArraysAreZeroedAndAligned) {
  const eagle::Array array(DType::int64, {3, 5});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data<std::int64_t>()) % 64, 0U);
  for (int k = 0; k < 15; ++k) EXPECT_EQ(array.data<std::int64_t>()[k], 0);
  EXPECT_THROW(static_cast<void>(array.data<double>()), eagle::Error);
  EXPECT_THROW(eagle::Array(DType::float64, {std::int64_t{1} << 58}), eagle::Error);
}

TEST(Number, IntegersStayExact) {
  EXPECT_EQ(to_string(Number(std::numeric_limits<std::uint64_t>::max())), "18446744073709551615");
  std::int64_t out = 0;
  Number((std::int64_t{1} << 53) + 1).store(DType::int64, &out);
  EXPECT_EQ(out, 9007199254740993);
}

TEST(Number, RefusesWhatWouldChange) {
  EXPECT_FALSE(Number(-1).fits(DType::uint32));
  EXPECT_FALSE(Number(std::int64_t{1} << 31).fits(DType::int32));
  EXPECT_FALSE(Number(1.0).fits(DType::int64));
  EXPECT_FALSE(Number(256).fits(DType::boolean));
  EXPECT_TRUE(Number(3).fits(DType::float32));
  std::int32_t out = 0;
  EXPECT_THROW(Number(2.5).store(DType::int32, &out), eagle::Error);
  EXPECT_THROW(Number(std::int64_t{1} << 40).store(DType::int32, &out), eagle::Error);
}

}  // namespace
