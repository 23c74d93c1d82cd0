// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <eagle/error.hpp>
#include <eagle/gathering.hpp>
#include <eagle/mpi.hpp>
#include <eagle/of_plugin.hpp>
#include <fmt/format.h>

#include "agreement.hpp"
#include "exchange.hpp"
#include "peers.hpp"
#include "ranks.hpp"
#include "world.hpp"

namespace eagle {
namespace {

using detail::Ranks;

/// The counters of a call that bodies add to, which are summed over ranks.
class Counters {
 public:
  Counters(const Call& call, const Memory& memory)
      : call_(call), memory_(memory), arguments_(detail::counters_of(call.plugin)), before_(read()) {}

  /// What this rank's bodies have added. Before ranks agree, since reading a device may fail on one of them.
  void take() {
    added_ = read();
    for (std::size_t i = 0; i < added_.size(); ++i) added_[i] -= before_[i];
  }

  void sum(const Ranks& ranks) const {
    if (added_.empty()) return;
    std::vector<std::uint64_t> total = added_;
    ranks.sum(total);
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += before_[i];
    std::span<const std::uint64_t> rest = total;
    for (const std::size_t k : arguments_) {
      const auto count = static_cast<std::size_t>(call_.arrays[k].size());
      detail::write_counter(memory_, call_.arrays[k], rest.first(count));
      rest = rest.subspan(count);
    }
  }

 private:
  std::vector<std::uint64_t> read() const {
    std::vector<std::uint64_t> values;
    for (const std::size_t k : arguments_)
      for (const std::uint64_t each : detail::read_counter(memory_, call_.arrays[k])) values.push_back(each);
    return values;
  }

  const Call& call_;
  const Memory& memory_;
  std::vector<std::size_t> arguments_;
  std::vector<std::uint64_t> before_, added_;
};

/// Ranks that gather by messages, or, as a device_group, by something that joins their devices.
class RankPartition final : public Structure {
 public:
  RankPartition(Ranks ranks, StructurePtr inner, bool gather, detail::GathererPtr gatherer = nullptr)
      : Structure(gatherer ? StructureKind::device_group : StructureKind::rank_partition),
        inner_(std::move(inner)),
        gather_(gather),
        gatherer_(std::move(gatherer)),
        ranks_(ranks) {}

  std::optional<StructureKind> inner() const override { return gatherer_ ? std::nullopt : std::optional(inner_->kind()); }
  std::string describe() const override {
    const std::string inner = inner_->describe();
    if (gatherer_) return fmt::format("device_group(ranks={}, {}, {})", ranks_.size(), inner, gatherer_->describe());
    if (inner_->kind() != StructureKind::device_kernel) return fmt::format("rank_partition(inner={}{})", inner, gathers());
    return fmt::format("rank_partition(inner={}{}{})", inner, gathers(),
                       !gather_                        ? ""
                       : detail::takes_device_memory() ? ", gathering device memory"
                                                       : ", gathering through host memory");
  }
  void require_built() const override { inner_->require_built(); }
  void prepare(const Plugin& plugin) const override {
    inner_->prepare(plugin);
    if (gatherer_ && ranks().size() > 1) gatherer_->prepare();
  }
  std::uint64_t index_bytes(const Plugin& plugin) const override { return inner_->index_bytes(plugin); }
  const Memory& memory() const override { return inner_->memory(); }
  bool stages() const noexcept override { return inner_->stages(); }
  bool has_streams() const noexcept override { return inner_->has_streams(); }
  std::unique_ptr<Workspace> workspace(const Call& call, std::span<const Partition> partitions) const override {
    const Ranks mine = ranks();
    auto made = std::make_unique<Parts>();
    for (const Partition& partition : partitions) {
      const Partition part = part_of(partition, mine.size(), mine.rank());
      made->workspaces.push_back(inner_->workspace(call, {&part, 1}));
    }
    return made;
  }
  std::string identity() const override { return fmt::format("{}(inner={}{})", name(kind()), inner_->identity(), gathers()); }
  bool is_collective() const noexcept override { return true; }
  void agree(std::exception_ptr refusal, const Claims& claims) const override {
    detail::agree(ranks(), std::move(refusal), claims);
  }

 protected:
  void run_parts(const Call& call, std::span<const Partition> partitions) const override {
    const Ranks mine = ranks();
    std::optional<Counters> counters;
    std::vector<AnySpan> parts;
    std::exception_ptr refusal;
    try {
      detail::of_plugin(call.plugin.id(), [&] { counters.emplace(call, memory()); });
      const auto& made = static_cast<const Parts&>(*call.workspace);
      for (std::size_t k = 0; k < partitions.size(); ++k) {
        if (k > 0 && call.observer != nullptr && call.observer->stop_requested())
          throw Error(Code::interrupted, "the run was stopped; planes are partly written");
        run_mine(call, part_of(partitions[k], mine.size(), mine.rank()), made.workspaces[k].get(), parts);
      }
      detail::of_plugin(call.plugin.id(), [&] { counters->take(); });
    } catch (...) {
      refusal = std::current_exception();
    }
    detail::agree(mine, refusal, call.token);
    if (!call.reductions.empty()) fold(mine, call.reductions, parts, partitions.empty() ? 0 : partitions.front().n_samples);
    if (mine.size() == 1) return;
    counters->sum(mine);
    if (gatherer_) gatherer_->gather(detail::RankPeers(mine), call, partitions, memory());
    else if (gather_) detail::gather(mine, call, partitions, memory());
    if (call.observer != nullptr) call.observer->progress(partitions.back().end(), partitions.back().n_samples);
  }

 private:
  std::string_view label() const noexcept override {
    return gatherer_ ? "eagle::DeviceGroup::run" : "eagle::RankPartition::run";
  }
  void drive(const Call&, const Partition&) const override {}  // never: run_parts drives the inner structure

  /// What the inner structure keeps, one a partition; null where it keeps nothing.
  struct Parts final : Workspace {
    std::vector<std::unique_ptr<Workspace>> workspaces;
  };

  /// Runs this rank's part of one partition, and keeps what it folds to.
  void run_mine(const Call& call, const Partition& part, Workspace* workspace, std::vector<AnySpan>& parts) const {
    std::vector<Reduction> reductions(call.reductions.begin(), call.reductions.end());
    for (Reduction& each : reductions) each.total = each.total.empty_at(part.base);
    const Call mine{call.plugin,   call.access, call.params, reductions, call.arrays,
                    call.observer, workspace,   call.stream, call.token, call.tuning};
    inner_->run(mine, {&part, 1});
    inner_->wait(mine);
    for (Reduction& each : reductions) parts.push_back(std::move(each.total));
  }

  /// Folds the parts of all ranks, partition by partition, to the call's values, on every rank.
  static void fold(const Ranks& ranks, std::span<Reduction> reductions, std::vector<AnySpan>& parts, std::int64_t n) {
    detail::merge_up(
        ranks, detail::most_bytes(parts.size()),
        [&](std::span<const std::byte> bytes) {
          std::vector<AnySpan> right;
          for (const AnySpan& each : parts) right.push_back(each.empty_at(each.end()));
          detail::unpack(bytes, right);
          for (std::size_t k = 0; k < parts.size(); ++k) parts[k].merge(right[k]);
        },
        [&] { return detail::pack(parts); });
    std::vector<std::array<std::byte, 8>> values(reductions.size());
    if (ranks.rank() == 0) {
      for (std::size_t k = 0; k < parts.size(); ++k) reductions[k % reductions.size()].total.merge(parts[k]);
      for (std::size_t k = 0; k < values.size(); ++k) reductions[k].finish(n, values[k].data());
    }
    ranks.copy_from_first(std::as_writable_bytes(std::span(values)));
    for (std::size_t k = 0; k < values.size(); ++k) reductions[k].value = values[k];
  }

  std::string_view gathers() const { return gather_ ? "" : ", gather=false"; }

  /// The given communicator's ranks, or the world's once there is one.
  Ranks ranks() const {
    const std::lock_guard lock(mutex_);
    if (!ranks_.exist()) ranks_ = Ranks::world();
    ranks_.require_alive();
    if (!placed_)
      if (StructurePtr mine = inner_->for_node_rank(ranks_.node_rank())) inner_ = std::move(mine);
    placed_ = true;
    return ranks_;
  }

  mutable StructurePtr inner_;  ///< placed on the rank's device once the ranks are known
  mutable bool placed_ = false;
  bool gather_;
  detail::GathererPtr gatherer_;  ///< none: messages
  mutable std::mutex mutex_;
  mutable Ranks ranks_;
};

}  // namespace

namespace detail {

StructurePtr rank_partition_of(MPI_Comm comm, StructurePtr inner, bool gather) {
  return std::make_shared<RankPartition>(Ranks(comm), std::move(inner), gather);
}

StructurePtr device_group_of(MPI_Comm comm, StructurePtr inner, GathererPtr gatherer) {
  return std::make_shared<RankPartition>(Ranks(comm), std::move(inner), true, std::move(gatherer));
}

StructurePtr rank_partition_of_world(StructurePtr inner, bool gather) {
  return std::make_shared<RankPartition>(Ranks(), std::move(inner), gather);
}

}  // namespace detail
}  // namespace eagle
