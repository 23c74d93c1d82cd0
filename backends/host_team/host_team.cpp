// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <utility>

#include <eagle/error.hpp>
#include <eagle/float_environment.hpp>
#include <eagle/structures.hpp>
#include <fmt/format.h>

#include "runtime.hpp"

namespace eagle {
namespace {

constexpr const char* run_label = "eagle::HostTeam::run";
constexpr int most_threads = 4096;

using Clock = std::chrono::steady_clock;
/// A stop is noticed about this often.
constexpr Clock::duration pace = std::chrono::milliseconds(2);
/// Work below this does not pay for waking a team.
constexpr Clock::duration small_work = std::chrono::microseconds(4);
/// Runs of more samples are given to the team without asking how long they take.
constexpr std::int64_t small_run = 1 << 16;

using Range = std::pair<std::int64_t, std::int64_t>;

/// One partition at work: what the threads of a team share.
class Work {
 public:
  Work(const Call& call, const Partition& partition)
      : call_(call), partition_(partition), entry_(reinterpret_cast<eagle_host_entry_v2>(call.plugin.host_entry())) {}

  /// Drives samples [range) in pieces that take about `pace`. Never throws: the first exception is kept and stops the other
  /// threads. `polls` is true on the launching thread alone.
  void drive(Range range, bool polls) noexcept {
    const DefaultFloatEnvironment environment;
    std::int64_t piece = 512;
    if (range.second - range.first <= piece) return call_body(range.first, range.second - range.first);
    auto mark = Clock::now();
    while (range.first < range.second && !stopped_.load(std::memory_order_relaxed)) {
      const Clock::duration elapsed = timed(range, std::min(piece, range.second - range.first), mark);
      piece = std::max<std::int64_t>(1, std::min(256 * piece, piece * pace / std::max(elapsed, Clock::duration(1))));
      if (polls && range.first < range.second) poll();
    }
  }

  /// Runs the first samples of a small run here, and the rest too where that takes less time than waking a team. Gives what
  /// is left for the team.
  Range drive_small(Range range) noexcept {
    const DefaultFloatEnvironment environment;
    auto mark = Clock::now();
    for (const std::int64_t probe : {16, 512}) {
      const std::int64_t count = std::min(probe, range.second - range.first);
      if (count == 0 || stopped_) return {range.second, range.second};
      const Clock::duration elapsed = timed(range, count, mark);
      const Clock::duration rest = elapsed * ((range.second - range.first) / count);
      if (rest >= small_work && (probe > 16 || rest >= 1000 * small_work)) return range;
    }
    call_body(range.first, range.second - range.first);
    return {range.second, range.second};
  }

  /// The same in one call, for bodies that must not be cut.
  void drive_whole() {
    const DefaultFloatEnvironment environment;
    if (call_.plugin.declaration().is_v1())
      reinterpret_cast<eagle_host_entry_v1>(call_.plugin.host_entry())(call_.params.data(),
                                                                       static_cast<std::int32_t>(partition_.n_samples));
    else entry_(call_.params.data(), partition_.base, partition_.count, partition_.n_samples);
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  /// Takes `count` samples from the front of a range and gives the time since `mark`, which moves to now.
  Clock::duration timed(Range& range, std::int64_t count, Clock::time_point& mark) noexcept {
    call_body(range.first, count);
    range.first += count;
    done_.fetch_add(count, std::memory_order_relaxed);
    const auto before = std::exchange(mark, Clock::now());
    return mark - before;
  }

  void call_body(std::int64_t base, std::int64_t count) noexcept {
    try {
      entry_(call_.params.data(), base, count, partition_.n_samples);
    } catch (...) {
      fail(std::current_exception());
    }
  }

  void poll() noexcept {
    if (call_.observer == nullptr) return;
    call_.observer->progress(partition_.base + done_.load(std::memory_order_relaxed), partition_.n_samples);
    if (call_.observer->stop_requested())
      fail(std::make_exception_ptr(Error(Code::interrupted, "the run was stopped; planes are partly written")));
  }

  void fail(std::exception_ptr error) noexcept {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    stopped_.store(true, std::memory_order_relaxed);
  }

  const Call& call_;
  const Partition& partition_;
  eagle_host_entry_v2 entry_;
  std::atomic<bool> stopped_ = false;
  std::atomic<std::int64_t> done_ = 0;
  std::mutex mutex_;
  std::exception_ptr error_;
};

class HostTeam final : public Structure {
 public:
  explicit HostTeam(HostTeamOptions options) : Structure(StructureKind::host_team), options_(std::move(options)) {}

  std::string describe() const override {
    std::string text = options_.space          ? "host_team(on the given Kokkos::OpenMP instance"
                       : options_.threads == 0 ? "host_team(threads=all"
                                               : fmt::format("host_team(threads={}", options_.threads);
    if (options_.schedule == Schedule::static_) return text + ", schedule=static)";
    return text + (options_.tile == 0 ? ", schedule=dynamic)" : fmt::format(", schedule=dynamic, tile={})", options_.tile));
  }

  void prepare(const Plugin& plugin) const override { static_cast<void>(plugin.host_entry()); }

 private:
  std::string_view label() const noexcept override { return run_label; }

  void drive(const Call& call, const Partition& partition) const override {
    detail::require_kokkos();
    Work work(call, partition);
    if (call.access == Access::cross_sample_write || call.plugin.declaration().is_v1()) {
      const Kokkos::Profiling::ScopedRegion region(region_label());
      work.drive_whole();
    } else if (options_.threads == 1) {
      const Kokkos::Profiling::ScopedRegion region(region_label());
      work.drive({partition.base, partition.end()}, true);
    } else if (partition.count <= small_run) {
      const Kokkos::Profiling::ScopedRegion region(region_label());
      const Range rest = work.drive_small({partition.base, partition.end()});
      if (rest.first < rest.second) drive_team(work, {rest.first, rest.second - rest.first, partition.n_samples});
    } else {
      drive_team(work, partition);
    }
    work.rethrow();
  }

  void drive_team(Work& work, const Partition& partition) const {
    const Kokkos::OpenMP space = instance();
    const std::int64_t team = space.concurrency();
    if (options_.schedule == Schedule::static_) launch<Kokkos::Static>(space, work, partition, team);
    else launch<Kokkos::Dynamic>(space, work, partition, tiles(partition.count, team));
  }

  /// Shares a partition out in `parts` contiguous parts, larger ones first.
  template <class Schedule>
  static void launch(const Kokkos::OpenMP& space, Work& work, const Partition& partition, std::int64_t parts) {
    using Policy = Kokkos::RangePolicy<Kokkos::OpenMP, Kokkos::IndexType<std::int64_t>, Kokkos::Schedule<Schedule>>;
    Kokkos::parallel_for(run_label, Policy(space, 0, parts, Kokkos::ChunkSize(1)), [&work, &partition, parts](std::int64_t r) {
      const Partition share = part_of(partition, parts, r);
      work.drive({share.base, share.end()}, omp_get_thread_num() == 0);
    });
    space.fence("eagle::HostTeam::fence");
  }

  std::int64_t tiles(std::int64_t count, std::int64_t team) const {
    const std::int64_t tile = options_.tile > 0 ? options_.tile : std::max<std::int64_t>(1, count / (team * 64));
    return (count + tile - 1) / tile;
  }

  Kokkos::OpenMP instance() const {
    if (options_.space) return *static_cast<const Kokkos::OpenMP*>(options_.space.get());
    return options_.threads > 0 ? Kokkos::OpenMP(options_.threads) : Kokkos::OpenMP();
  }

  static const std::string& region_label() {
    static const std::string text = run_label;
    return text;
  }

  HostTeamOptions options_;
};

}  // namespace

StructurePtr host_team(HostTeamOptions options) {
  if (options.threads < 0 || options.threads > most_threads)
    throw Error(Code::argument,
                fmt::format("host_team: threads is {}: 1 to {}, or 0 for all, is accepted", options.threads, most_threads));
  if (options.tile < 0)
    throw Error(Code::argument,
                fmt::format("host_team: tile is {}: at least 1 sample, or 0 to choose, is accepted", options.tile));
  if (options.tile > 0 && options.schedule == Schedule::static_)
    throw Error(Code::argument,
                fmt::format("host_team: tile={} needs schedule=dynamic: a static team has one share a thread", options.tile));
  if (options.threads > 0 && options.space)
    throw Error(Code::argument,
                "host_team: threads and an execution space are both given: the space has its own number of threads");
  return std::make_shared<HostTeam>(std::move(options));
}

}  // namespace eagle
