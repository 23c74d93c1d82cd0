// SPDX-License-Identifier: Apache-2.0
// Private to eagle::host: one partition at work, as the threads of a team share it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>

#include <eagle/structure.hpp>

#include "runtime.hpp"

namespace eagle::detail {

/// Samples [first, second).
struct Range {
  std::int64_t first;
  std::int64_t second;
  [[nodiscard]] std::int64_t count() const noexcept { return second - first; }
};

/// Planes are cut at multiples of this, where it can be: whole cache lines of every element type, so that threads share none
/// and vector loops stay aligned.
constexpr std::int64_t grain_samples = 64;

/// The r-th of `parts` shares of a range, cut at global multiples of `grain`, larger shares first.
Range share_of(Range range, std::int64_t parts, std::int64_t r, std::int64_t grain);

/// How many samples to try first: few samples may each be worth a team.
std::int64_t first_piece(Range range);

using Clock = std::chrono::steady_clock;
/// A stop is noticed about this often.
constexpr Clock::duration pace = std::chrono::milliseconds(2);
/// Work below this does not pay for waking a team.
constexpr Clock::duration small_work = std::chrono::microseconds(4);

/// Calls the body and keeps what goes wrong: the first exception stops every thread and is thrown again by rethrow().
class Work {
 public:
  Work(const Call& call, const Partition& partition);

  [[nodiscard]] const Call& call() const noexcept { return call_; }
  [[nodiscard]] const Partition& partition() const noexcept { return partition_; }
  [[nodiscard]] bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed) || is_ending(); }

  /// Drives samples of a range in pieces that take about `pace`. `polls` is true on the launching thread alone.
  void drive(Range range, bool polls) noexcept;
  /// Runs the first samples of a small run here, and the rest too where that takes less time than waking a team. Gives what
  /// is left for the team.
  Range drive_small(Range range) noexcept;
  /// The whole partition in one call, for bodies that must not be cut.
  void drive_whole();

  /// Drives the first `count` samples of a range with these boxes and takes them off it.
  void take(void* const* params, Range& range, std::int64_t count) noexcept;
  /// Says how many samples a thread has taken since it last did. Now and then: threads share the counter.
  void report(std::int64_t count) noexcept { done_.fetch_add(count, std::memory_order_relaxed); }
  /// Takes and reports, and gives the time since `mark`, which moves to now.
  Clock::duration take(void* const* params, Range& range, std::int64_t count, Clock::time_point& mark) noexcept;
  /// Tells the observer how far the partition is, and asks whether to stop.
  void poll() noexcept;
  void fail(std::exception_ptr error) noexcept;
  void rethrow() const;

 private:
  void call_body(void* const* params, std::int64_t base, std::int64_t count) noexcept;

  const Call& call_;
  const Partition& partition_;
  eagle_host_entry_v2 entry_;
  // What every thread looks at all the time lies apart from what threads write.
  static constexpr std::size_t cache_line = 64;
  alignas(cache_line) std::atomic<bool> stopped_ = false;
  alignas(cache_line) std::atomic<std::int64_t> done_ = 0;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace eagle::detail
