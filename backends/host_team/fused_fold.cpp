// SPDX-License-Identifier: Apache-2.0
#include "fused_fold.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

namespace eagle::detail {
namespace {

/// A tile is one block: its samples, their identity and two input planes stay in a first-level cache of 32 KiB.
constexpr std::int64_t tile_samples = block_samples;
/// Tiles that take little time are not timed one by one.
constexpr std::int64_t quick_tiles = 8;

/// A thread's tile: the call's boxes, with those of the accumulate outputs replaced by handles over scratch.
class Tile {
 public:
  explicit Tile(const Call& call)
      : params_(call.params.begin(), call.params.end()),
        count_(call.reductions.size()),
        outputs_(std::make_unique_for_overwrite<Output[]>(count_)) {
    for (std::size_t k = 0; k < count_; ++k) {
      const Reduction& reduction = call.reductions[k];
      Output& output = outputs_[k];
      std::memcpy(&output.handle, params_[reduction.argument], sizeof output.handle);
      params_[reduction.argument] = &output.handle;
      output.element = size_of(reduction.total.dtype());
      output.identity[0] = 0;
      reduction.total.fill_identity(output.identity, 1);
      output.zero = output.identity[0] == 0;
      if (!output.zero) reduction.total.fill_identity(output.identity, tile_samples);
    }
  }

  /// Moves the scratch under the samples from `base` on, so that a body that stores at its global index stores into it, and
  /// seeds them with the identity.
  void place(std::int64_t base, std::int64_t count) {
    for (Output& output : std::span(outputs_.get(), count_)) {
      const auto bytes = static_cast<std::size_t>(count * output.element);
      if (output.zero) std::memset(output.samples, 0, bytes);
      else std::memcpy(output.samples, output.identity, bytes);
      const auto address =
          reinterpret_cast<std::uintptr_t>(output.samples) - static_cast<std::uintptr_t>(base * output.element);
      output.handle.data = reinterpret_cast<void*>(address);
    }
  }
  [[nodiscard]] const void* samples(std::size_t k) const { return outputs_[k].samples; }
  [[nodiscard]] void* const* params() const { return params_.data(); }

 private:
  struct alignas(64) Output {
    std::uint64_t samples[tile_samples];  // elements have at most 8 bytes
    std::uint64_t identity[tile_samples];
    ScalarHandle handle;
    std::int64_t element;
    bool zero;  ///< the identity's bytes, which needs no copy then
  };
  std::vector<void*> params_;
  std::size_t count_;
  std::unique_ptr<Output[]> outputs_;
};

/// Whether what is left of a small run may, going by the tile or tiles just folded. The first piece is too short for the clock
/// to judge the others by, unless it alone is work; the second stands for all.
bool pays_for_a_team(std::int64_t tiles, Clock::duration elapsed, std::int64_t count, Range rest) {
  if (tiles == 0) return elapsed >= small_work / 4;
  return (tiles == 1 ? elapsed * (rest.count() / count) : elapsed) >= small_work;
}

}  // namespace

Range FusedFold::drive(Range range, bool polls, bool small) noexcept {
  try {
    return range.count() > 0 ? drive_tiles(range, polls, small) : range;
  } catch (...) {
    work_.fail(std::current_exception());
    return {range.second, range.second};
  }
}

Range FusedFold::drive_tiles(Range range, bool polls, bool small) {
  const auto reductions = work_.call().reductions;
  Tile tile(work_.call());
  std::vector<AnySpan> spans;
  for (const Reduction& each : reductions) spans.push_back(each.total.empty_at(range.first));
  const std::int64_t begin = range.first;
  auto mark = Clock::now();
  std::int64_t reported = range.first;
  for (std::int64_t tiles = 0, look = 0; range.count() > 0 && !work_.stopped(); ++tiles) {
    std::int64_t count = std::min(range.second, (range.first / block_samples + 1) * block_samples) - range.first;
    if (small && tiles == 0) count = std::min(count, first_piece(range));
    tile.place(range.first, count);
    work_.take(tile.params(), range, count);
    if (work_.stopped()) break;
    for (std::size_t k = 0; k < spans.size(); ++k) spans[k].append(tile.samples(k), count);
    if (tiles < look) continue;
    const auto before = std::exchange(mark, Clock::now());
    const Clock::duration elapsed = mark - before;
    work_.report(range.first - std::exchange(reported, range.first));
    look = tiles + (elapsed < pace / 8 && tiles > 0 ? quick_tiles : 1);
    if (small && pays_for_a_team(tiles, elapsed, count, range)) break;
    if (polls) work_.poll();
  }
  add(begin, std::move(spans));
  return range;
}

void FusedFold::add(std::int64_t begin, std::vector<AnySpan> part) {
  const auto merge = [](std::vector<AnySpan>& left, const std::vector<AnySpan>& right) {
    for (std::size_t k = 0; k < left.size(); ++k) left[k].merge(right[k]);
  };
  const std::lock_guard lock(mutex_);
  auto here = parts_.emplace(begin, std::move(part)).first;
  if (here != parts_.begin()) {
    const auto left = std::prev(here);
    if (left->second.front().end() == begin) {
      merge(left->second, here->second);
      parts_.erase(here);
      here = left;
    }
  }
  const auto right = std::next(here);
  if (right != parts_.end() && right->first == here->second.front().end()) {
    merge(here->second, right->second);
    parts_.erase(right);
  }
}

void FusedFold::finish() {
  for (auto& [begin, part] : parts_)
    for (std::size_t k = 0; k < part.size(); ++k) work_.call().reductions[k].total.merge(part[k]);
}

}  // namespace eagle::detail
