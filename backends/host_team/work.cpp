// SPDX-License-Identifier: Apache-2.0
#include "work.hpp"

#include <algorithm>
#include <utility>

#include <eagle/error.hpp>
#include <eagle/float_environment.hpp>

namespace eagle::detail {

std::int64_t first_piece(Range range) { return range.count() < 64 * grain_samples ? 1 : grain_samples; }

Range share_of(Range range, std::int64_t parts, std::int64_t r, std::int64_t grain) {
  const std::int64_t first = range.first / grain, last = (range.second - 1) / grain + 1;
  const Partition share = part_of({first, last - first, 0}, parts, r);
  return {std::max(range.first, share.base * grain), std::min(range.second, share.end() * grain)};
}

Work::Work(const Call& call, const Partition& partition)
    : call_(call), partition_(partition), entry_(reinterpret_cast<eagle_host_entry_v2>(call.plugin.host_entry())) {}

void Work::drive(Range range, bool polls) noexcept {
  constexpr std::int64_t longest = std::int64_t{1} << 40;
  std::int64_t piece = first_piece(range);
  auto mark = Clock::now();
  while (range.count() > 0 && !stopped()) {
    if (range.count() <= piece) return call_body(call_.params.data(), range.first, range.count());
    const std::int64_t border = (range.first + piece) / grain_samples * grain_samples;
    piece = border > range.first ? border - range.first : piece;
    const Clock::duration elapsed = take(call_.params.data(), range, piece, mark);
    piece = std::clamp<std::int64_t>(piece * pace / std::max(elapsed, Clock::duration(1)), 1, std::min(256 * piece, longest));
    if (polls) poll();
  }
}

Range Work::drive_small(Range range) noexcept {
  auto mark = Clock::now();
  const std::int64_t first = first_piece(range);
  for (const std::int64_t probe : {first, 512 - first}) {
    const std::int64_t count = std::min(probe, range.count());
    if (count == 0 || stopped()) return {range.second, range.second};
    const Clock::duration elapsed = take(call_.params.data(), range, count, mark);
    if (elapsed >= small_work) poll();
    // The first piece is too short for the clock to judge the others by, unless it alone is work.
    if (probe == first ? elapsed >= small_work / 4 : elapsed * (range.count() / count) >= small_work) return range;
  }
  call_body(call_.params.data(), range.first, range.count());
  return {range.second, range.second};
}

void Work::drive_whole() {
  const DefaultBodyEnvironment environment;
  if (call_.plugin.declaration().is_v1())
    reinterpret_cast<eagle_host_entry_v1>(call_.plugin.host_entry())(call_.params.data(),
                                                                     static_cast<std::int32_t>(partition_.n_samples));
  else entry_(call_.params.data(), partition_.base, partition_.count, partition_.n_samples);
}

void Work::take(void* const* params, Range& range, std::int64_t count) noexcept {
  call_body(params, range.first, count);
  range.first += count;
}

Clock::duration Work::take(void* const* params, Range& range, std::int64_t count, Clock::time_point& mark) noexcept {
  take(params, range, count);
  report(count);
  const auto before = std::exchange(mark, Clock::now());
  return mark - before;
}

void Work::call_body(void* const* params, std::int64_t base, std::int64_t count) noexcept {
  const DefaultBodyEnvironment environment;
  try {
    entry_(params, base, count, partition_.n_samples);
  } catch (...) {
    fail(std::current_exception());
  }
}

void Work::poll() noexcept {
  if (call_.observer == nullptr) return;
  try {
    call_.observer->progress(partition_.base + done_.load(std::memory_order_relaxed), partition_.n_samples);
    if (call_.observer->stop_requested()) throw Error(Code::interrupted, "the run was stopped; planes are partly written");
  } catch (...) {
    fail(std::current_exception());
  }
}

void Work::fail(std::exception_ptr error) noexcept {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = std::move(error);
  stopped_.store(true, std::memory_order_relaxed);
}

void Work::rethrow() const {
  if (error_) std::rethrow_exception(error_);
  if (is_ending()) throw Error(Code::interrupted, "the process is ending; planes are partly written");
}

}  // namespace eagle::detail
