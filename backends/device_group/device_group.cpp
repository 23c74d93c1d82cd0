// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include <eagle/abi.h>
#include <eagle/error.hpp>
#include <eagle/gathering.hpp>
#include <eagle/of_plugin.hpp>
#include <eagle/structures.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "device_kernel/launches.hpp"
#include "group_memory.hpp"
#include "replica.hpp"

namespace eagle {
namespace {

using namespace nccl;
using cuda::Current;
using cuda::Launches;
using cuda::Stream;

/// What is kept for the launches of one bound plan: the arguments on every device, and launches of each part.
class GroupLaunches final : public Workspace {
 public:
  GroupLaunches(Group& group, int block, const Call& call, std::span<const Partition> partitions)
      : group_(group), counters_(detail::counters_of(call.plugin)), replicas_(call.params.size()), parts_(group.size()) {
    const std::lock_guard alone(Group::lock());
    generation_ = group_.generation();
    for (std::size_t d = 0; d < group_.size(); ++d) {
      const Current current(group_[d].memory.gpu());
      marks_.emplace_back(group_[d].memory.gpu());
      boxes_.emplace_back(call.params.size());
      std::vector<void*> params;
      for (Box& each : boxes_[d]) params.push_back(each.data());
      Call mine = call;
      mine.params = params;
      const auto kernel = kernel_of(group_[d].memory.gpu(), call.plugin);
      for (const Partition& partition : partitions) {
        const Partition part = part_on(d, partition);
        parts_[d].push_back(std::make_unique<Launches>(group_[d].memory, kernel, block, mine, std::span(&part, 1)));
      }
    }
    place_arguments(call);
  }
  ~GroupLaunches() override {
    try {
      wait();
    } catch (const Error&) {  // it was reported, or nobody asks any more
    }
  }

  void begin(const Call& call) {
    const std::lock_guard alone(Group::lock());
    group_.require(generation_);
    caller_ = call.stream ? static_cast<Stream>(*call.stream) : group_[0].memory.stream();
    {
      const Current current(group_[0].memory.gpu());
      if (cuda::is_captured(caller_))
        throw Error(Code::argument,
                    "a launch of a group cannot be captured into a graph: launch on a stream that is not captured");
    }
    next_ = 0;
    place_arguments(call);
    follow();
    counted_ = group_.size() > 1 && !counters_.empty();
    if (group_.size() > 1) group_.together([&] { send_inputs(); });
  }
  /// The next of the partitions.
  void run(const Call& call, const Partition& partition) {
    const std::lock_guard alone(Group::lock());
    group_.require(generation_);
    for (std::size_t d = 0; d < group_.size(); ++d) {
      const Current current(group_[d].memory.gpu());
      Launches& launches = *parts_[d][next_];
      if (call.reductions.empty()) launches.launch(part_on(d, partition), group_[d].memory.stream());
      else launches.launch_folded(part_on(d, partition), group_[d].memory.stream());
    }
    ++next_;
    if (group_.size() > 1) gather(call, partition);
  }
  /// Also where a part has failed: what the caller's stream is given comes after what the devices have been given.
  void lead() {
    const std::lock_guard alone(Group::lock());
    for (std::size_t d = 0; d < group_.size(); ++d) {
      Member& member = group_[d];
      const Current current(member.memory.gpu());
      if (group_.size() > 1) {
        marks_[d].gathered.set(member.gathers.get());
        marks_[d].gathered.hold(member.memory.stream());
      }
      marks_[d].computed.set(member.memory.stream());
    }
    const Current of_first(group_[0].memory.gpu());
    for (std::size_t d = 0; d < group_.size(); ++d)
      if (d > 0 || caller_ != group_[0].memory.stream()) marks_[d].computed.hold(caller_);
  }

  /// Returns when every device has done what the last launch gave it. Asks all, as one that waits for another that has failed
  /// is never done.
  void wait() {
    group_.wait(generation_, [&] {
      bool done = true;
      for (std::size_t d = 0; d < group_.size(); ++d) {
        const Current current(group_[d].memory.gpu());
        done = marks_[d].computed.is_reached() && done;
      }
      return done;
    });
  }

  /// Adds to the caller's counters what the other devices have counted, which start from zero again.
  void sum_counters() {
    if (!counted_) return;
    wait();
    for (const std::size_t k : counters_) {
      const std::size_t owner = replicas_[k]->owner();
      std::vector<std::uint64_t> total = detail::read_counter(group_[owner].memory, replicas_[k]->on(owner));
      for (std::size_t d = 0; d < group_.size(); ++d) {
        if (d == owner) continue;
        const auto counted = detail::read_counter(group_[d].memory, replicas_[k]->on(d));
        for (std::size_t i = 0; i < total.size(); ++i) total[i] += counted[i];
        detail::write_counter(group_[d].memory, replicas_[k]->on(d), std::vector<std::uint64_t>(total.size()));
      }
      detail::write_counter(group_[owner].memory, replicas_[k]->on(owner), total);
    }
    counted_ = false;
  }

  void wait(std::span<Reduction> reductions) {
    wait();
    sum_counters();
    for (Reduction& each : reductions) each.total = each.total.empty_at(0);
    std::vector<Reduction> part(reductions.begin(), reductions.end());
    for (std::size_t p = 0; p < parts_[0].size(); ++p)
      for (const auto& of_device : parts_) {
        of_device[p]->take(part);
        for (std::size_t k = 0; k < part.size(); ++k) reductions[k].total.merge(part[k].total);
      }
  }

  /// None of counters, which each device has its own of, and of what was bound since the last launch.
  [[nodiscard]] std::vector<Array> replicas(const Call& call, std::size_t argument) const {
    std::vector<Array> all;
    if (!replicas_[argument] || is_counter(argument) || !replicas_[argument]->is_of(call.arrays[argument])) return all;
    for (std::size_t d = 0; d < group_.size(); ++d) all.push_back(replicas_[argument]->array(d));
    return all;
  }

 private:
  using Box = std::array<std::byte, sizeof(GRefMirror)>;

  /// How far a device has come.
  struct Marks {
    explicit Marks(const cuda::Gpu& gpu) : computed(gpu), gathered(gpu) {}
    cuda::Marker computed, gathered;
  };

  Partition part_on(std::size_t d, const Partition& partition) const {
    return part_of(partition, static_cast<std::int64_t>(group_.size()), static_cast<std::int64_t>(d));
  }

  bool is_counter(std::size_t k) const { return std::find(counters_.begin(), counters_.end(), k) != counters_.end(); }

  /// Sets the boxes of all arguments on all devices, as they are bound now.
  void place_arguments(const Call& call) {
    const std::vector<Argument>& arguments = call.plugin.declaration().arguments;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const bool has_array = arguments[k].role != Role::uniform && arguments[k].role != Role::nsamples &&
                             !(arguments[k].role == Role::accum_out && !call.reductions.empty());
      if (has_array && (!replicas_[k] || !replicas_[k]->is_of(call.arrays[k]))) replicas_[k].emplace(group_, call.arrays[k]);
      for (std::size_t d = 0; d < group_.size(); ++d) {
        std::memcpy(boxes_[d][k].data(), call.params[k], arguments[k].is_plane ? sizeof(GRefMirror) : sizeof(ScalarHandle));
        if (has_array && arguments[k].is_plane) point<GRefMirror>(boxes_[d][k], replicas_[k]->on(d));
        else if (has_array) point<ScalarHandle>(boxes_[d][k], replicas_[k]->on(d));
      }
    }
  }
  template <class Handle>
  static void point(Box& box, const ArrayView& array) {
    Handle handle;
    std::memcpy(&handle, box.data(), sizeof handle);
    handle.data = array.data;
    handle.deviceType = Device::cuda;
    handle.deviceId = array.device.id;
    if constexpr (std::is_same_v<Handle, GRefMirror>) handle.compStride = static_cast<std::uint64_t>(array.strides[0]);
    std::memcpy(box.data(), &handle, sizeof handle);
  }

  /// What the devices are given from now on comes after what the caller's stream, on the first, has been given.
  void follow() {
    const Current of_first(group_[0].memory.gpu());
    marks_[0].computed.set(caller_);
    for (std::size_t d = 0; d < group_.size(); ++d) {
      const Current current(group_[d].memory.gpu());
      if (d > 0 || caller_ != group_[0].memory.stream()) marks_[0].computed.hold(group_[d].memory.stream());
    }
  }
  void send_inputs() {
    for (std::size_t k = 0; k < replicas_.size(); ++k)
      if (replicas_[k] && !is_counter(k)) replicas_[k]->send(group_);
  }

  /// Puts a partition together on all devices, while they go on with the next.
  void gather(const Call& call, const Partition& partition) {
    for (std::size_t d = 0; d < group_.size(); ++d) {
      const Current current(group_[d].memory.gpu());
      marks_[d].computed.set(group_[d].memory.stream());
      marks_[d].computed.hold(group_[d].gathers.get());
    }
    group_.together([&] {
      for (std::size_t k = 0; k < replicas_.size(); ++k)
        if (replicas_[k] && detail::is_gathered(call, k)) replicas_[k]->gather(group_, partition);
    });
  }

  Group& group_;
  std::uint64_t generation_ = 0;  ///< of the group's communicators
  std::vector<std::size_t> counters_;
  bool counted_ = false;                                       ///< whether devices may have counted what was not summed
  std::vector<std::optional<Replica>> replicas_;               ///< of the arguments that are arrays
  std::deque<Marks> marks_;                                    ///< by device
  std::vector<std::vector<Box>> boxes_;                        ///< by device, by argument
  std::vector<std::vector<std::unique_ptr<Launches>>> parts_;  ///< by device, by partition
  std::size_t next_ = 0;                                       ///< partition
  Stream caller_ = nullptr;                                    ///< of the first device
};

class DeviceGroup final : public Structure {
 public:
  DeviceGroup(std::vector<int> devices, DeviceGroupOptions options)
      : Structure(StructureKind::device_group), devices_(std::move(devices)), options_(options) {
    if (std::any_of(devices_.begin(), devices_.end(), [](int each) { return each < 0; }))
      throw Error(Code::argument, fmt::format("devices [{}] are given: devices count from 0", fmt::join(devices_, ", ")));
    if (std::set<int>(devices_.begin(), devices_.end()).size() != devices_.size())
      throw Error(Code::argument,
                  fmt::format("devices [{}] are given: a group has each device once", fmt::join(devices_, ", ")));
    cuda::check_block(options_.block);
  }

  std::string describe() const override {
    return fmt::format("device_group(devices={}{}{}{})", devices_.empty() ? "all" : fmt::format("{}", devices_),
                       options_.block > 0 ? fmt::format(", block={}", options_.block) : "",
                       options_.stream ? ", a stream of the caller's" : "", options_.staging ? ", staging=true" : "") +
           std::string(cuda::folds_where());
  }
  void prepare(const Plugin& plugin) const override {
    std::vector<std::shared_ptr<const cuda::Kernel>> kernels;
    for (std::size_t d = 0; d < group().size(); ++d) kernels.push_back(kernel_of(group()[d].memory.gpu(), plugin));
    const std::lock_guard lock(mutex_);
    held_ = std::move(kernels);
  }
  std::uint64_t index_bytes(const Plugin& plugin) const override {
    return kernel_of(group()[0].memory.gpu(), plugin)->index_bytes;
  }
  const Memory& memory() const override {
    static_cast<void>(group());
    return *memory_;
  }
  bool stages() const noexcept override { return options_.staging; }
  bool has_streams() const noexcept override { return true; }
  std::unique_ptr<Workspace> workspace(const Call& call, std::span<const Partition> partitions) const override {
    return std::make_unique<GroupLaunches>(group(), options_.block, call, partitions);
  }
  void wait(const Call& call) const override {
    detail::of_plugin(call.plugin.id(), [&] { launches(call).wait(call.reductions); });
  }
  std::vector<Array> replicas(const Call& call, std::size_t argument) const override {
    return launches(call).replicas(call, argument);
  }

 protected:
  void run_parts(const Call& call, std::span<const Partition> partitions) const override {
    Call mine = call;
    if (!mine.stream) mine.stream = options_.stream;
    detail::of_plugin(call.plugin.id(), [&] {
      launches(call).begin(mine);
      try {
        Structure::run_parts(mine, partitions);
      } catch (...) {
        try {
          launches(call).lead();
        } catch (const Error&) {  // what failed first is told
        }
        throw;
      }
      launches(call).lead();
      launches(call).sum_counters();
    });
  }

 private:
  std::string_view label() const noexcept override { return "eagle::DeviceGroup::run"; }
  void drive(const Call& call, const Partition& partition) const override { launches(call).run(call, partition); }

  static GroupLaunches& launches(const Call& call) { return static_cast<GroupLaunches&>(*call.workspace); }

  Group& group() const {
    const std::lock_guard lock(mutex_);
    if (group_ == nullptr) {
      group_ = &Group::of(devices_);
      memory_.emplace(*group_);
    }
    return *group_;
  }

  std::vector<int> devices_;
  DeviceGroupOptions options_;
  mutable std::mutex mutex_;
  mutable Group* group_ = nullptr;
  mutable std::optional<GroupMemory> memory_;
  mutable std::vector<std::shared_ptr<const cuda::Kernel>> held_;  ///< so that what one bind has loaded is there for the next
};

}  // namespace

StructurePtr device_group(std::vector<int> devices, DeviceGroupOptions options) {
  return std::make_shared<DeviceGroup>(std::move(devices), options);
}

}  // namespace eagle
