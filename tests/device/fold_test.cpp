// SPDX-License-Identifier: Apache-2.0
// DeviceFold by itself: samples [begin, end) of a run, tile by tile, against the host's span, for every reduction.
#include "device_kernel/device_fold.hpp"

#include "bed.hpp"
#include "samples.hpp"

namespace {

using namespace bed;
using eagle::AnySpan;
using eagle::Op;
using eagle::Precision;
using eagle::cuda::DeviceFold;
using eagle::cuda::DeviceMemory;
using eagle::cuda::Gpu;

constexpr std::int64_t block = 1024, group = std::int64_t{1} << 20, tile = DeviceFold::tile_samples;

struct Range {
  std::int64_t begin, end;
};

/// What one run of the samples at `data`, of the whole [0, n), folds to; `whole` holds them on the device.
template <class T>
std::vector<std::byte> on_device(const AnySpan& kind, const std::vector<T>& values, Range range) {
  const eagle::cuda::Current current(Gpu::at(0));
  const DeviceMemory memory(Gpu::at(0), Gpu::at(0).stream());
  DeviceFold fold(memory, kind, range.begin, range.end);
  // As far behind a multiple of 16 bytes as the first sample is behind a border of blocks.
  const std::int64_t border = range.begin / block * block;
  const Memory samples(std::vector<T>(values.begin() + border, values.begin() + range.end));
  for (std::int64_t first = range.begin; first < range.end;) {
    const std::int64_t last = std::min(range.end, (first / tile + 1) * tile);
    const auto at = reinterpret_cast<eagle::cuda::Pointer>(static_cast<T*>(samples.data()) + (first - border));
    fold.queue(at, first, last - first, memory.stream());
    first = last;
  }
  eagle::cuda::check(eagle::cuda::driver().synchronize(memory.stream()), "cuStreamSynchronize");
  return fold.take().serialise();
}

template <class T>
void expect_span(Op op, const std::vector<T>& values, Range range, Precision precision = Precision::working) {
  const AnySpan kind(op, eagle::dtype_of<T>(), precision, range.begin);
  AnySpan expected = kind;
  expected.append(values.data() + range.begin, range.end - range.begin);
  ASSERT_EQ(on_device(kind, values, range), expected.serialise())
      << name(op) << " of " << eagle::name(eagle::dtype_of<T>()) << " [" << range.begin << ", " << range.end << ")";
}

template <class T>
void expect_all(const std::vector<Range>& ranges) {
  std::int64_t n = 0;
  for (const Range& range : ranges) n = std::max(n, range.end);
  const char* const kind = std::is_floating_point_v<T> ? "specials" : "integers_full_range";
  const auto values = samples::generate<T>(kind, 3, static_cast<std::size_t>(n));
  for (const Range& range : ranges) {
    for (const Op op : {Op::sum, Op::times, Op::max, Op::land}) expect_span(op, values, range);
    if constexpr (std::is_floating_point_v<T>) expect_span(Op::sum, values, range, Precision::compensated);
  }
}

class Folds : public Device {};

TEST_F(Folds, AllReductionsAroundBlocks) {
  const std::vector<Range> ranges = {{0, 0},     {0, 1},       {0, 1023},    {0, 1024},    {0, 1025},    {1, 1024},
                                     {5, 5},     {1023, 1024}, {1023, 1025}, {1024, 2048}, {1024, 2047}, {1000, 2100},
                                     {700, 900}, {0, 5000},    {1, 5121},    {1024, 1024}, {3000, 70001}};
  expect_all<double>(ranges);
  expect_all<float>(ranges);
  expect_all<std::int64_t>(ranges);
  expect_all<std::int32_t>(ranges);
  expect_all<std::uint64_t>(ranges);
  expect_all<std::uint32_t>(ranges);
}

TEST_F(Folds, AllReductionsAroundGroups) {
  const std::vector<Range> ranges = {{0, group}, {block, group + block}, {group - 1, group + 1}, {7, 2 * group + 1030}};
  expect_all<double>(ranges);
  expect_all<float>(ranges);
  expect_all<std::int32_t>(ranges);
}

TEST_F(Folds, SumsAroundTiles) {
  const std::vector<Range> ranges = {{0, tile},
                                     {0, tile + 1},
                                     {tile - 1, tile + 1},
                                     {tile - block, tile + block},
                                     {tile - group - 3, 2 * tile + group + 5},
                                     {tile, 2 * tile}};
  const auto values = samples::generate<double>("uniform", 3, 2 * tile + group + 5);
  for (const Range& range : ranges) expect_span(Op::sum, values, range);
  expect_span(Op::sum, values, ranges[4], Precision::compensated);
  expect_span(Op::max, values, ranges[4]);
}

}  // namespace
