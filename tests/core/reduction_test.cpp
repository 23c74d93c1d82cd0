// SPDX-License-Identifier: Apache-2.0
#include <eagle/reduction.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using eagle::Op;

constexpr Op ops[] = {Op::sum, Op::times, Op::max, Op::land};
constexpr double inf = std::numeric_limits<double>::infinity();

template <class T>
class Reduction : public testing::Test {};
using Types = testing::Types<double, float, std::int64_t, std::uint64_t, std::int32_t, std::uint32_t>;
TYPED_TEST_SUITE(Reduction, Types);

template <class T>
T folded(Op op, std::vector<T> values) {
  return eagle::fold<T>(op, values);
}

TYPED_TEST(Reduction, IdentitiesAreThoseOfTheDefinition) {
  using T = TypeParam;
  EXPECT_EQ(eagle::identity<T>(Op::sum), T(0));
  EXPECT_EQ(eagle::identity<T>(Op::times), T(1));
  EXPECT_EQ(eagle::identity<T>(Op::land), T(1));
  const T lowest = std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  EXPECT_EQ(eagle::identity<T>(Op::max), lowest);
}

TYPED_TEST(Reduction, AnEmptyFoldIsTheIdentityAndTheIdentityIsNeutral) {
  using T = TypeParam;
  for (const Op op : ops) {
    EXPECT_EQ(folded<T>(op, {}), eagle::identity<T>(op));
    for (const T x : {T(0), T(1), T(5), T(-3)}) {
      EXPECT_EQ(folded<T>(op, {eagle::identity<T>(op), x}), folded<T>(op, {x}));
      EXPECT_EQ(folded<T>(op, {x, eagle::identity<T>(op)}), folded<T>(op, {x}));
    }
  }
}

TYPED_TEST(Reduction, FoldsByArithmetic) {
  using T = TypeParam;
  EXPECT_EQ(folded<T>(Op::sum, {1, 2, 3, 4}), T(10));
  EXPECT_EQ(folded<T>(Op::times, {1, 2, 3, 4}), T(24));
  EXPECT_EQ(folded<T>(Op::max, {1, 4, 3, 2}), T(4));
  EXPECT_EQ(folded<T>(Op::land, {1, 7, 3}), T(1));
  EXPECT_EQ(folded<T>(Op::land, {1, 0, 3}), T(0));
  EXPECT_EQ(folded<T>(Op::land, {7}), T(1));
}

TEST(ReductionIntegers, WrapModuloTwoToTheWidth) {
  EXPECT_EQ(folded<std::int32_t>(Op::sum, {2147483647, 1}), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(folded<std::int64_t>(Op::times, {std::int64_t{1} << 62, 4}), 0);
  EXPECT_EQ(folded<std::uint32_t>(Op::times, {65537, 65537}), 131073U);
  EXPECT_EQ(folded<std::int32_t>(Op::max, {-5, -3, -9}), -3);
}

TEST(ReductionFloats, MaximumIsIeee754) {
  EXPECT_FALSE(std::signbit(folded<double>(Op::max, {-0.0, 0.0})));
  EXPECT_FALSE(std::signbit(folded<double>(Op::max, {0.0, -0.0})));
  EXPECT_TRUE(std::signbit(folded<double>(Op::max, {-0.0, -0.0})));
  EXPECT_EQ(folded<double>(Op::max, {-inf, -inf}), -inf);
  EXPECT_TRUE(std::isnan(folded<double>(Op::max, {1.0, std::nan("5"), 2.0})));
}

TEST(ReductionFloats, NanComesOutAsTheOneQuietNan) {
  const double payload = std::bit_cast<double>(0xfff800000000beefULL);
  for (const Op op : {Op::sum, Op::times, Op::max})
    EXPECT_EQ(std::bit_cast<std::uint64_t>(folded<double>(op, {1.0, payload})), 0x7ff8000000000000ULL);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(folded<float>(Op::sum, {std::bit_cast<float>(0xffc0beefU)})), 0x7fc00000U);
  EXPECT_EQ(folded<double>(Op::land, {payload, 1.0}), 1.0);
}

TEST(ReductionFloats, FoldGoesFromLeftToRight) {
  EXPECT_EQ(folded<double>(Op::sum, {1e308, 1e308, -1e308}), inf);
  EXPECT_EQ(folded<double>(Op::sum, {1.0, 1e16, -1e16}), 0.0);
  EXPECT_EQ(folded<double>(Op::sum, {-0.0, -0.0}), 0.0);
  EXPECT_TRUE(std::signbit(folded<double>(Op::sum, {-0.0})));
}

}  // namespace
