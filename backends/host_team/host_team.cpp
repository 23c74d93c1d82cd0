// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <utility>

#include <eagle/error.hpp>
#include <eagle/structures.hpp>
#include <fmt/format.h>
#include <omp.h>

#include "fused_fold.hpp"
#include "runtime.hpp"
#include "work.hpp"

namespace eagle {
namespace {

using detail::block_samples;
using detail::first_piece;
using detail::FusedFold;
using detail::most_threads;
using detail::Range;
using detail::Work;

constexpr const char* run_label = "eagle::HostTeam::run";
/// Runs of more samples are given to the team without asking how long they take.
constexpr std::int64_t small_run = 1 << 16;

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

  std::unique_ptr<Workspace> workspace(const Call& call, std::span<const Partition> partitions) const override {
    if (!is_open()) return nullptr;
    const Setting setting = detail::setting_for(call, kind(), {}, partitions);
    if (setting == Setting()) return nullptr;
    const int threads = std::min(setting.threads, omp_get_max_threads());
    return std::make_unique<Tuned>(HostTeamOptions{.threads = threads, .schedule = setting.schedule, .tile = setting.tile});
  }

 private:
  std::string_view label() const noexcept override { return run_label; }

  /// The team that a profile chose for a bound plan.
  struct Tuned final : Workspace {
    explicit Tuned(HostTeamOptions options) : team(std::make_unique<const HostTeam>(std::move(options))) {}
    std::unique_ptr<const HostTeam> team;
  };

  [[nodiscard]] bool is_open() const noexcept {
    return options_.threads == 0 && options_.schedule == Schedule::static_ && options_.tile == 0 && !options_.space;
  }

  void drive(const Call& call, const Partition& partition) const override {
    if (call.workspace != nullptr) static_cast<const Tuned*>(call.workspace)->team->drive_part(call, partition);
    else drive_part(call, partition);
  }

  void drive_part(const Call& call, const Partition& partition) const {
    const detail::Launch alive;
    Work work(call, partition);
    if (runs_whole(call.plugin.declaration(), call.access)) {
      const Kokkos::Profiling::ScopedRegion region(region_label());
      work.drive_whole();
    } else if (!call.reductions.empty()) {
      drive_fold(work);
    } else {
      drive_map(work);
    }
    work.rethrow();
  }

  void drive_map(Work& work) const {
    Range range{work.partition().base, work.partition().end()};
    if (options_.threads == 1 || asks_first(range)) {
      const Kokkos::Profiling::ScopedRegion region(region_label());
      if (options_.threads == 1) return work.drive(range, true);
      range = work.drive_small(range);
      if (range.count() == 0) return;
    }
    const bool many = range.count() >= 1024 * detail::grain_samples;
    launch(range.count(), [&work, range, grain = many ? detail::grain_samples : 1](std::int64_t parts, std::int64_t r) {
      work.drive(detail::share_of(range, parts, r, grain), omp_get_thread_num() == 0);
    });
  }

  void drive_fold(Work& work) const {
    FusedFold fold(work);
    Range range{work.partition().base, work.partition().end()};
    if (options_.threads == 1 || asks_first(range)) {
      const Kokkos::Profiling::ScopedRegion region(region_label());
      range = fold.drive(range, true, options_.threads != 1);
    }
    if (range.count() > 0) {
      // Whole blocks, unless there are so few that threads would idle: samples of a shared block are put together later.
      const std::int64_t grain = range.count() >= 4 * block_samples ? block_samples : first_piece(range);
      launch(range.count(), [&fold, range, grain](std::int64_t parts, std::int64_t r) {
        fold.drive(detail::share_of(range, parts, r, grain), omp_get_thread_num() == 0);
      });
    }
    work.rethrow();
    fold.finish();
  }

  /// Whether a run is small enough to find out on this thread whether it pays for waking a team. With a dynamic schedule the
  /// first samples say nothing about the others.
  [[nodiscard]] bool asks_first(Range range) const {
    return options_.schedule == Schedule::static_ && range.count() <= small_run;
  }

  /// Runs share(parts, r) for every part r of `count` samples on the team.
  template <class Share>
  void launch(std::int64_t count, const Share& share) const {
    if (options_.space) return launch_on(*static_cast<const Kokkos::OpenMP*>(options_.space.get()), count, share);
    const detail::Team team(options_.threads);
    launch_on(team.space(), count, share);
  }

  template <class Share>
  void launch_on(const Kokkos::OpenMP& space, std::int64_t count, const Share& share) const {
    const std::int64_t team = space.concurrency();
    if (options_.schedule == Schedule::static_) launch<Kokkos::Static>(space, team, share);
    else launch<Kokkos::Dynamic>(space, tiles(count, team), share);
  }

  template <class Schedule, class Share>
  static void launch(const Kokkos::OpenMP& space, std::int64_t parts, const Share& share) {
    using Policy = Kokkos::RangePolicy<Kokkos::OpenMP, Kokkos::IndexType<std::int64_t>, Kokkos::Schedule<Schedule>>;
    Kokkos::parallel_for(run_label, Policy(space, 0, parts, Kokkos::ChunkSize(1)),
                         [&share, parts](std::int64_t r) { share(parts, r); });
    space.fence("eagle::HostTeam::fence");
  }

  std::int64_t tiles(std::int64_t count, std::int64_t team) const {
    const std::int64_t tile = options_.tile > 0 ? options_.tile : std::max<std::int64_t>(1, count / (team * 64));
    return std::min(pieces_of(count, tile), most_parts);
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
