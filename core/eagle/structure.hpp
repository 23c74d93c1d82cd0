// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <eagle/access.hpp>
#include <eagle/any_span.hpp>
#include <eagle/array.hpp>
#include <eagle/memory.hpp>
#include <eagle/observer.hpp>
#include <eagle/partition.hpp>
#include <eagle/placement.hpp>
#include <eagle/plugin.hpp>
#include <eagle/profile.hpp>

namespace eagle {

/// Something that all processes of a run must say alike: what it is called in messages, and the value.
struct Claim {
  std::string what;
  std::string value;
};
using Claims = std::function<std::vector<Claim>()>;

/// What a structure keeps for the launches of one bound plan, so that launches allocate nothing. What it holds may be in use
/// until its destructor has returned.
class Workspace {
 public:
  Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  virtual ~Workspace() = default;
};

/// One body with its packed arguments: what a structure drives over the partitions of a run. Borrows everything.
struct Call {
  const Plugin& plugin;
  Access access;
  std::span<void* const> params;  ///< one box an argument, in arg_spec order (abi.h)
  /// The accumulate outputs that a mapreduce folds, in arg_spec order; empty where planes of partials are wanted. A structure
  /// adds each partition to their totals, in order, and writes no box of theirs.
  std::span<Reduction> reductions = {};
  /// What each box points at: planes as component rows, shape (w, n) with unit sample stride.
  std::span<const ArrayView> arrays = {};
  Observer* observer = nullptr;
  Workspace* workspace = nullptr;              ///< what the structure made for this call
  std::optional<void*> stream = std::nullopt;  ///< of a device structure: where launches are queued, if not where planned
  std::uint64_t token = 0;                     ///< of a collective structure: tells this bound plan from others
  const detail::Tuning* tuning = nullptr;      ///< of the plan's profile; a structure asks it in workspace()
};

namespace detail {
/// What the profile of a call says of the largest of these parts; all open where it says nothing. Tells the call's observer
/// where it says nothing of the structure and device.
Setting setting_for(const Call& call, StructureKind structure, std::string_view device, std::span<const Partition> parts);
}  // namespace detail

/// Where a body runs. The public members do once what every structure needs (checks, progress, error context); a structure
/// is the private virtuals. Objects are immutable and may be shared by threads.
class Structure {
 public:
  virtual ~Structure() = default;
  [[nodiscard]] StructureKind kind() const noexcept { return kind_; }
  /// What drives a rank's part; only rank_partition has one.
  [[nodiscard]] virtual std::optional<StructureKind> inner() const { return std::nullopt; }
  /// "host_team(threads=2, schedule=static)".
  [[nodiscard]] virtual std::string describe() const = 0;
  /// Error(not_built), naming the switch, where the structure was not compiled in.
  virtual void require_built() const {}
  /// The structure as the r-th rank of a node has it, where that is another; else null.
  [[nodiscard]] virtual std::shared_ptr<const Structure> for_node_rank(int /*r*/) const { return nullptr; }
  /// Resolves what the structure needs of a plugin, e.g. opens the host library: Error(bundle) where that fails.
  virtual void prepare(const Plugin& plugin) const = 0;
  /// The index word of the artifact that it runs.
  virtual std::uint64_t index_bytes(const Plugin& plugin) const { return plugin.index_bytes(target_of(kind(), inner())); }
  /// Where bodies find their planes. Error(unavailable) where no device is found.
  virtual const Memory& memory() const { return host_memory(); }
  /// Whether arrays of host memory may be copied to that memory and back.
  virtual bool stages() const noexcept { return false; }
  /// Whether launches are queued on a stream, which a call may name.
  virtual bool has_streams() const noexcept { return false; }
  /// What run() needs beside the call itself.
  virtual std::unique_ptr<Workspace> workspace(const Call&, std::span<const Partition>) const { return nullptr; }
  /// Drives the body once a partition, in order, and returns when the host's part of the work is done; wait() waits for the
  /// rest. Error(body) where a body throws, naming plugin and partition; Error(unavailable) where no device, driver or runtime
  /// is found.
  void run(const Call& call, std::span<const Partition> partitions) const { run_parts(call, partitions); }
  /// Returns when all that run() has queued of a call is done, and its reductions are complete. Error(body) where a device body
  /// failed.
  virtual void wait(const Call&) const {}
  /// An array of the call on every device of a group, in the group's order; empty elsewhere.
  [[nodiscard]] virtual std::vector<Array> replicas(const Call&, std::size_t /*argument*/) const { return {}; }
  /// What processes that run together must have alike of it.
  [[nodiscard]] virtual std::string identity() const { return std::string(name(kind_)); }
  /// Whether other processes take part in every plan, bind and run.
  [[nodiscard]] virtual bool is_collective() const noexcept { return false; }
  /// Throws `refusal`, where there is one. A collective structure throws on every process where any has one, and where the
  /// claims, which are only made then, differ.
  virtual void agree(std::exception_ptr refusal, const Claims& claims) const;

 protected:
  explicit Structure(StructureKind kind) noexcept : kind_(kind) {}
  /// Drives the partitions one after the other and says in errors which.
  virtual void run_parts(const Call& call, std::span<const Partition> partitions) const;
  /// Runs f for one partition, and says in its errors which.
  static void in_partition(const Call& call, const Partition& partition, const std::function<void()>& f);

 private:
  /// "eagle::HostTeam::run".
  [[nodiscard]] virtual std::string_view label() const noexcept = 0;
  virtual void drive(const Call& call, const Partition& partition) const = 0;
  StructureKind kind_;
};

using StructurePtr = std::shared_ptr<const Structure>;

/// A structure that was not compiled in: plans are checked against it and then refused with Error(not_built), which says
/// how to build it, e.g. "configure eagle with -DEAGLE_HOST=ON".
StructurePtr not_built(StructureKind kind, std::string remedy, std::optional<StructureKind> inner = std::nullopt);

}  // namespace eagle
