// SPDX-License-Identifier: Apache-2.0
// The bodies of eagle's own kernels that fill and copy, run on the CPU.
#include <bit>
#include <numeric>

#include <eagle/convert.hpp>

#include "device_kernel/kernels.hpp"
#include "kernels_on_host.hpp"
#include "samples.hpp"
#include "support.hpp"

namespace {

using eagle::DType;
using eagle::detail::StridedCopy;

template <class Word>
void check_fill(const char* kernel) {
  const unsigned long long pattern = 0x8182838485868788ULL;
  for (const long long count : {0LL, 1LL, 255LL, 256LL, 257LL, 5000LL})
    for (const unsigned grid : {1U, 3U, 100U}) {
      std::vector<Word> data(static_cast<std::size_t>(count) + 2, Word{1}), expected = data;
      std::fill_n(expected.begin() + 1, count, static_cast<Word>(pattern));
      void* to = data.data() + 1;
      long long elements = count;
      auto bits = pattern;
      void* params[] = {&to, &elements, &bits};
      ASSERT_TRUE(eagle::detail::run_on_host(kernel, params, grid));
      ASSERT_EQ(data, expected) << kernel << " " << count;
    }
}

TEST(KernelsOnHost, FillWritesItsElementsAndNoOthers) {
  check_fill<std::uint8_t>("eagle_fill_1");
  check_fill<std::uint32_t>("eagle_fill_4");
  check_fill<std::uint64_t>("eagle_fill_8");
}

void run_copy(StridedCopy copy, unsigned grid) {
  void* params[] = {&copy};
  ASSERT_TRUE(eagle::detail::run_on_host("eagle_copy", params, grid));
}

/// Values that a conversion could get wrong: near the ends of a type's range, and every kind of floating-point value.
template <class T>
std::vector<T> values_of(std::size_t n) {
  if constexpr (std::is_floating_point_v<T>) {
    std::vector<T> values = samples::generate<T>("specials_finite", 1, n);
    for (std::size_t k = 0; k < std::size(samples::Format<T>::specials); ++k)
      values[k] = std::bit_cast<T>(samples::Format<T>::specials[k]);
    return values;
  } else {
    std::vector<T> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(samples::mix(i) >> (i % 2 == 0 ? 0 : 64 - 4 * sizeof(T)));
    return values;
  }
}

template <class From, class To>
void check_copy() {
  const bool widens = eagle::detail::widens(eagle::dtype_of<From>(), eagle::dtype_of<To>());
  const auto from = values_of<From>(1000);
  std::vector<To> to(1000, To(1)), expected = to;
  if (widens)
    for (std::size_t i = 0; i < from.size(); ++i) expected[i] = static_cast<To>(from[i]);
  StridedCopy copy{from.data(), to.data(), eagle::dtype_of<From>(), eagle::dtype_of<To>(), 1, 1000, {1000}, {1}, {1}};
  run_copy(copy, 2);
  EXPECT_TRUE(support::same_bits(to, expected)) << name(copy.from_dtype) << " to " << name(copy.to_dtype);
}

TEST(KernelsOnHost, CopyConvertsWhatWidensAndNothingElse) {
  for (int from = 0; from < 7; ++from)
    for (int to = 0; to < 7; ++to)
      eagle::visit(static_cast<DType>(from), [&]<class From>(From) {
        eagle::visit(static_cast<DType>(to), [&]<class To>(To) { check_copy<From, To>(); });
      });
}

TEST(KernelsOnHost, CopyFollowsStridesOfEitherSide) {
  // A (3, 5, 70) array out of every second row of a larger one, its last axis backwards and its first repeated, into planes.
  constexpr long long extents[] = {3, 5, 70}, from_strides[] = {0, 140, -1}, to_strides[] = {1, 210, 3};
  std::vector<double> from(5 * 140), to(3 * 5 * 70 + 2, -1.0), expected = to;
  std::iota(from.begin(), from.end(), 0.0);
  for (long long i = 0; i < 3; ++i)
    for (long long j = 0; j < 5; ++j)
      for (long long k = 0; k < 70; ++k)
        expected[static_cast<std::size_t>(1 + i + 210 * j + 3 * k)] = from[static_cast<std::size_t>(69 + 140 * j - k)];
  StridedCopy copy;
  copy.from = &from[69];
  copy.to = &to[1];
  copy.rank = 3;
  copy.count = 3 * 5 * 70;
  std::copy_n(extents, 3, copy.extents);
  std::copy_n(from_strides, 3, copy.from_strides);
  std::copy_n(to_strides, 3, copy.to_strides);
  for (const unsigned grid : {1U, 4U, 50U}) {
    std::fill(to.begin(), to.end(), -1.0);
    run_copy(copy, grid);
    EXPECT_EQ(to, expected) << grid;
  }
}

TEST(KernelsOnHost, CopyOfNoAxesIsOneElementAndOfNoElementsNothing) {
  const float from = 2.5F;
  double to = 0;
  StridedCopy copy{&from, &to, DType::float32, DType::float64, 0, 1};
  run_copy(copy, 1);
  EXPECT_EQ(to, 2.5);
  to = 0;
  copy.count = 0;
  run_copy(copy, 1);
  EXPECT_EQ(to, 0);
}

TEST(KernelsOnHost, CopyGoesThroughAllEightAxes) {
  std::vector<std::int32_t> from(256);
  std::vector<std::int64_t> to(256);
  std::iota(from.begin(), from.end(), -128);
  StridedCopy copy{from.data(), to.data(), DType::int32, DType::int64, 8, 256};
  for (int axis = 0; axis < 8; ++axis) {  // reversed axes: the bits of the index in reverse order
    copy.extents[axis] = 2;
    copy.from_strides[axis] = 1 << (7 - axis);
    copy.to_strides[axis] = 1 << axis;
  }
  run_copy(copy, 1);
  for (unsigned i = 0; i < 256; ++i) {
    unsigned reversed = 0;
    for (unsigned bit = 0; bit < 8; ++bit) reversed |= (i >> bit & 1U) << (7 - bit);
    ASSERT_EQ(to[reversed], static_cast<std::int64_t>(i) - 128);
  }
}

}  // namespace
