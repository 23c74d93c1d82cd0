// SPDX-License-Identifier: Apache-2.0
// The gathers of ranks with one device each, by NCCL on the devices' memory.
#include "rank_gathers.hpp"

#include <utility>

#include <eagle/error.hpp>
#include <eagle/gathering.hpp>
#include <eagle/of_plugin.hpp>
#include <eagle/plane.hpp>
#include <fmt/format.h>

#include "device_kernel/gpu.hpp"
#include "nccl.hpp"

namespace eagle::nccl {
namespace {

using cuda::Current;
using cuda::Gpu;
using detail::Peers;

/// A rank's place in a communicator, and the stream of its gathers. A rank's device never changes.
class RankComm {
 public:
  explicit RankComm(const Gpu& gpu) : gpu_(gpu), gathers_(gpu), mark_(gpu) {}
  ~RankComm() {
    try {
      const Current current(gpu_);
      if (comm_ != nullptr) library().abort(comm_);
    } catch (const Error&) {  // a lost device has no communicators
    }
  }
  RankComm(const RankComm&) = delete;
  RankComm& operator=(const RankComm&) = delete;

  /// Returns when all ranks do.
  void join(const UniqueId& id, int rank, int size) {
    const Current current(gpu_);
    rank_ = rank;
    size_ = size;
    check(library().init_rank(&comm_, size, id, rank), "ncclCommInitRank (each rank needs a device of its own)");
  }
  /// What is queued from now on comes after what a stream has been given.
  void follow(cuda::Stream stream) {
    const Current current(gpu_);
    mark_.set(stream);
    mark_.hold(gathers_.get());
  }
  /// Queues the rows of a partition.
  void gather(const Call& call, const Partition& partition) {
    const Current current(gpu_);
    grouped([&] {
      for (std::size_t k = 0; k < call.arrays.size(); ++k) {
        const ArrayView& plane = call.arrays[k];
        if (!detail::is_gathered(call, k)) continue;
        for (std::int64_t r = 0; r < detail::rows_of(plane); ++r)
          gather_row(detail::row_of(plane, r), size_of(plane.dtype), partition);
      }
    });
  }
  [[nodiscard]] bool is_done() const {
    const Current current(gpu_);
    check_health(comm_, gpu_.describe());
    const int result = cuda::driver().query(gathers_.get());
    if (result != cuda::not_ready) cuda::check(result, "cuStreamQuery");
    return result == cuda::success;
  }

 private:
  void gather_row(std::byte* row, std::int64_t sample_bytes, const Partition& partition) const {
    const auto bytes = [&](std::int64_t samples) { return static_cast<std::size_t>(samples * sample_bytes); };
    const auto all_gather = [&](std::int64_t samples) {
      std::byte* const whole = row + bytes(partition.base);
      const std::size_t each = bytes(samples);
      check(
          library().all_gather(whole + static_cast<std::size_t>(rank_) * each, whole, each, nccl::bytes, comm_, gathers_.get()),
          "ncclAllGather");
    };
    const auto broadcast = [&](int r, const Partition& part) {
      std::byte* const data = row + bytes(part.base);
      check(library().broadcast(data, data, bytes(part.count), nccl::bytes, r, comm_, gathers_.get()), "ncclBroadcast");
    };
    gather_parts(partition, size_, all_gather, broadcast);
  }

  const Gpu& gpu_;
  cuda::OwnStream gathers_;
  cuda::Marker mark_;
  Comm comm_ = nullptr;
  int rank_ = 0, size_ = 1;
};

/// Runs f on each rank, and has all throw what it throws on any.
template <class F>
void alike(const Peers& peers, const Plugin& plugin, F&& f) {
  std::exception_ptr refusal;
  try {
    detail::of_plugin(plugin.id(), f);
  } catch (...) {
    refusal = std::current_exception();
  }
  peers.agree(refusal);
}

/// The ranks' communicator, which is made once. Nobody begins what needs all before all have said that they can.
RankComm& comm_of(const Peers& peers, const Plugin& plugin, const Gpu& gpu) {
  std::shared_ptr<void>& kept = peers.kept();
  if (kept == nullptr) {
    UniqueId id;
    std::shared_ptr<RankComm> made;
    alike(peers, plugin, [&] {
      const Current current(gpu);
      made = std::make_shared<RankComm>(gpu);
      if (peers.rank() == 0) check(library().unique_id(&id), "ncclGetUniqueId");
    });
    peers.share(std::as_writable_bytes(std::span(id.internal)));
    alike(peers, plugin, [&] { made->join(id, peers.rank(), peers.size()); });
    kept = std::move(made);
  }
  return *static_cast<RankComm*>(kept.get());
}

bool has_gathered(const Call& call) {
  for (std::size_t k = 0; k < call.arrays.size(); ++k)
    if (detail::is_gathered(call, k)) return true;
  return false;
}

class RankGatherer final : public detail::Gatherer {
 public:
  std::string describe() const override { return "NCCL"; }
  void prepare() const override { library(); }
  void gather(const Peers& peers, const Call& call, std::span<const Partition> partitions,
              const Memory& memory) const override {
    if (!has_gathered(call)) return;
    const Gpu& gpu = Gpu::at(memory.device().id);
    try {
      RankComm& comm = comm_of(peers, call.plugin, gpu);
      alike(peers, call.plugin,
            [&] { comm.follow(static_cast<cuda::Stream>(call.stream ? *call.stream : memory.stream(gpu.ordinal())->stream)); });
      alike(peers, call.plugin, [&] {
        for (const Partition& partition : partitions) comm.gather(call, partition);
      });
      peers.wait_until([&] { return detail::of_plugin(call.plugin.id(), [&] { return comm.is_done(); }); });
    } catch (...) {  // as on all
      peers.kept().reset();
      throw;
    }
  }
};

}  // namespace
}  // namespace eagle::nccl

namespace eagle::detail {

GathererPtr nccl_gatherer() { return std::make_shared<const nccl::RankGatherer>(); }

}  // namespace eagle::detail
