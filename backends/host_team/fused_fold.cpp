// SPDX-License-Identifier: Apache-2.0
#include "fused_fold.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include <eagle/float_environment.hpp>

namespace eagle::detail {
namespace {

constexpr std::int64_t tile_blocks = 2;
constexpr std::int64_t tile_samples = tile_blocks * block_samples;

/// A thread's tile: the call's boxes, with those of the accumulate outputs replaced by handles over scratch.
class Tile {
 public:
  explicit Tile(const Call& call) : params_(call.params.begin(), call.params.end()) {
    handles_.resize(call.reductions.size());
    scratch_.resize(call.reductions.size());
    for (std::size_t k = 0; k < handles_.size(); ++k) {
      const std::size_t argument = call.reductions[k].argument;
      std::memcpy(&handles_[k], params_[argument], sizeof(ScalarHandle));
      params_[argument] = &handles_[k];
      scratch_[k].resize(tile_samples);
    }
  }

  /// Moves the scratch under the samples from `base` on: a body that stores at its global index stores into it.
  void* place(std::size_t k, std::int64_t base, std::int64_t element) {
    const auto address = reinterpret_cast<std::uintptr_t>(scratch_[k].data()) - static_cast<std::uintptr_t>(base * element);
    handles_[k].data = reinterpret_cast<void*>(address);
    return scratch_[k].data();
  }
  [[nodiscard]] const void* samples(std::size_t k) const { return scratch_[k].data(); }
  [[nodiscard]] void* const* params() const { return params_.data(); }

 private:
  std::vector<void*> params_;
  std::vector<ScalarHandle> handles_;
  std::vector<std::vector<std::uint64_t>> scratch_;  // elements have at most 8 bytes
};

}  // namespace

Range FusedFold::share(Range range, std::int64_t parts, std::int64_t r) {
  const std::int64_t first = range.first / block_samples, last = (range.second - 1) / block_samples + 1;
  const Partition share = part_of({first, last - first, 0}, parts, r);
  return {std::max(range.first, share.base * block_samples), std::min(range.second, share.end() * block_samples)};
}

Range FusedFold::drive(Range range, bool polls, bool small) noexcept {
  try {
    return range.count() > 0 ? drive_tiles(range, polls, small) : range;
  } catch (...) {
    work_.fail(std::current_exception());
    return {range.second, range.second};
  }
}

Range FusedFold::drive_tiles(Range range, bool polls, bool small) {
  const DefaultFloatEnvironment environment;
  const auto reductions = work_.call().reductions;
  Tile tile(work_.call());
  std::vector<AnySpan> spans;
  for (const Reduction& each : reductions) spans.push_back(each.total.empty_at(range.first));
  const std::int64_t begin = range.first;
  auto mark = Clock::now(), polled = mark;
  while (range.count() > 0 && !work_.stopped()) {
    const std::int64_t count =
        std::min(range.second, (range.first / block_samples + tile_blocks) * block_samples) - range.first;
    for (std::size_t k = 0; k < spans.size(); ++k)
      spans[k].fill_identity(tile.place(k, range.first, size_of(spans[k].dtype())), count);
    const Clock::duration elapsed = work_.take(tile.params(), range, count, mark);
    if (work_.stopped()) break;
    for (std::size_t k = 0; k < spans.size(); ++k) spans[k].append(tile.samples(k), count);
    if (small && elapsed * (range.count() / count) >= small_work) break;
    if (polls && mark - polled >= pace) {
      work_.poll();
      polled = mark;
    }
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
