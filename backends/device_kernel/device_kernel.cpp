// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include <eagle/error.hpp>
#include <eagle/reduction.hpp>
#include <eagle/structures.hpp>
#include <fmt/format.h>

#include "device_fold.hpp"
#include "devices.hpp"

namespace eagle {
namespace {

using namespace cuda;

/// What is kept for the launches of one bound plan: the kernel, its parameters, and what a mapreduce needs.
class Launches final : public Workspace {
 public:
  Launches(const DeviceMemory& memory, std::shared_ptr<const Kernel> kernel, int block, const Call& call,
           std::span<const Partition> partitions)
      : memory_(memory), kernel_(std::move(kernel)), block_(block > 0 ? block : kernel_->best_block), last_(memory.stream()) {
    if (block_ > kernel_->most_threads)
      throw Error(Code::argument,
                  fmt::format("plugin '{}': a block of {} threads is asked for, and its kernel takes at most {} on {}",
                              call.plugin.id(), block_, kernel_->most_threads, memory.gpu().describe()));
    const Current current(memory.gpu());
    mark_.emplace(memory.gpu());
    params_.assign(call.params.begin(), call.params.end());
    if (!call.plugin.declaration().is_v1())
      for (long long& each : triple_) params_.push_back(&each);
    if (partitions.empty()) return;
    begin_ = partitions.front().base;
    end_ = partitions.back().end();
    for (const Reduction& each : call.reductions) folded_.push_back(make_folded(each, partitions.front().n_samples));
  }
  ~Launches() override {
    try {
      const Current current(memory_.gpu());
      wait();
    } catch (const Error&) {  // a failed launch was reported, or nobody asks any more
    }
  }

  void launch(const Partition& part, Stream stream) {
    if (part.count == 0) return;
    follow(stream);
    triple_[0] = part.base;
    triple_[1] = part.count;
    triple_[2] = part.n_samples;
    cuda::launch(*kernel_, part.count, block_, stream, params_.data());
  }

  /// Runs a partition's samples tile by tile into scratch, and folds each tile with its last sample. Partitions come in order.
  void launch_folded(const Partition& part, Stream stream) {
    for (std::int64_t from = part.base; from < part.end();) {
      const std::int64_t border = from / DeviceFold::tile_samples * DeviceFold::tile_samples;
      const std::int64_t first = std::max(begin_, border), last = std::min(end_, border + DeviceFold::tile_samples);
      const std::int64_t to = std::min(last, part.end());
      if (from == first) {
        follow(stream);
        for (Folded& each : folded_) each.place(memory_, first, last, stream);
      }
      launch({from, to - from, part.n_samples}, stream);
      if (to == last)
        for (Folded& each : folded_) each.fold->queue(each.samples(first), first, last - first, stream);
      from = to;
    }
  }

  /// Returns when all launches are done. The device's context is current.
  void wait() {
    if (!launched_) return;
    if (is_captured(last_))
      throw Error(Code::argument,
                  "what was launched is being captured and does not run: end the capture, and replay the graph");
    check(driver().synchronize(last_), "cuStreamSynchronize");
    pending_ = false;
  }

  void take(std::span<Reduction> reductions) const {
    for (std::size_t k = 0; k < folded_.size(); ++k) reductions[k].total = folded_[k].fold->take();
  }

 private:
  /// A folded output: a tile of partials, whose box points so far before it that bodies find it at the sample's index.
  struct Folded {
    std::unique_ptr<Buffer> tile;
    std::unique_ptr<DeviceFold> fold;
    std::unique_ptr<ScalarHandle> box;
    DType dtype;
    std::array<std::byte, 8> identity = {};

    [[nodiscard]] static std::int64_t border(std::int64_t first) {
      return first / detail::block_samples * detail::block_samples;
    }
    [[nodiscard]] Pointer samples(std::int64_t first) const {
      return tile->address() + static_cast<Pointer>((first - border(first)) * size_of(dtype));
    }
    void place(const DeviceMemory& memory, std::int64_t first, std::int64_t last, Stream stream) {
      const Pointer before = tile->address() - static_cast<Pointer>(border(first) * size_of(dtype));
      box->data = reinterpret_cast<void*>(before);
      set_identity(memory, samples(first), last - first, stream);
    }
    void set_identity(const DeviceMemory& memory, Pointer to, std::int64_t count, Stream stream) const {
      if (OwnKernels::built())
        return OwnKernels::of(memory.gpu()).fill(reinterpret_cast<void*>(to), size_of(dtype), count, identity, stream);
      const DeviceMemory ordered(memory.gpu(), stream);
      const ArrayView array{reinterpret_cast<void*>(to), dtype, {count}, {1}, memory.device(), false};
      visit(dtype, [&]<class T>(T) {
        T value;
        std::memcpy(&value, identity.data(), sizeof value);
        if constexpr (Reducible<T>) ordered.fill(array, Number(value));
      });
    }
  };

  Folded make_folded(const Reduction& reduction, std::int64_t n_samples) {
    const std::int64_t samples = std::min(DeviceFold::tile_samples, end_ - Folded::border(begin_));
    Folded folded{std::make_unique<Buffer>(memory_.gpu(), memory_.stream(),
                                           static_cast<std::size_t>(samples * size_of(reduction.total.dtype()))),
                  std::make_unique<DeviceFold>(memory_, reduction.total, begin_, end_), std::make_unique<ScalarHandle>(),
                  reduction.total.dtype()};
    *folded.box = {nullptr, static_cast<std::uint64_t>(n_samples), 1, EAGLE_DEVICE_CUDA, memory_.gpu().ordinal()};
    params_[reduction.argument] = folded.box.get();
    reduction.total.fill_identity(folded.identity.data(), 1);
    return folded;
  }

  static bool is_captured(Stream stream) {
    int status = not_capturing;
    check(driver().capture_status(stream, &status), "cuStreamIsCapturing");
    return status != not_capturing;
  }

  /// What is queued on a stream now comes after what binding and earlier launches have queued on others.
  void follow(Stream stream) {
    if (pending_ && stream != last_) {
      if (is_captured(stream) || is_captured(last_))
        throw Error(
            Code::argument,
            "it follows work on another stream, and one of the two streams is captured, so that nothing can order them: "
            "plan with stream= the captured stream, or launch once on it and wait with result() before capturing");
      mark_->set(last_);
      mark_->hold(stream);
    }
    last_ = stream;
    launched_ = pending_ = true;
  }

  const DeviceMemory& memory_;
  std::shared_ptr<const Kernel> kernel_;
  int block_;
  std::vector<void*> params_;
  long long triple_[3] = {};
  std::int64_t begin_ = 0, end_ = 0;  ///< of the samples that are folded
  std::vector<Folded> folded_;
  std::optional<Marker> mark_;
  Stream last_;            ///< of what was queued last, for this bound plan
  bool pending_ = true;    ///< whether anything was queued there that nobody has waited for
  bool launched_ = false;  ///< whether there ever was a launch
};

class DeviceKernel final : public Structure {
 public:
  explicit DeviceKernel(DeviceKernelOptions options, int node_rank = 0)
      : Structure(StructureKind::device_kernel), options_(std::move(options)), node_rank_(node_rank) {
    if (options_.device && *options_.device < 0)
      throw Error(Code::argument, fmt::format("device {} is given: devices count from 0", *options_.device));
    if (options_.block < 0 || options_.block > 1024)
      throw Error(
          Code::argument,
          fmt::format("a block of {} threads is given: 1 to 1024, or 0 to have it chosen from occupancy", options_.block));
  }

  std::string describe() const override {
    return fmt::format("device_kernel(device={}{}{}{})", device_text(),
                       options_.block > 0 ? fmt::format(", block={}", options_.block) : "",
                       options_.stream ? ", a stream of the caller's" : "", options_.staging ? ", staging=true" : "") +
           (OwnKernels::built() ? "" : ", partials folded on the host (built without nvcc)");
  }
  StructurePtr for_node_rank(int r) const override {
    return options_.device ? nullptr : std::make_shared<DeviceKernel>(options_, r);
  }
  void prepare(const Plugin& plugin) const override { kernel(plugin); }
  std::uint64_t index_bytes(const Plugin& plugin) const override { return kernel(plugin)->index_bytes; }
  const Memory& memory() const override { return device_memory(); }
  bool stages() const noexcept override { return options_.staging; }
  bool has_streams() const noexcept override { return true; }
  std::unique_ptr<Workspace> workspace(const Call& call, std::span<const Partition> partitions) const override {
    return std::make_unique<Launches>(device_memory(), kernel(call.plugin), options_.block, call, partitions);
  }
  void wait(const Call& call) const override {
    auto& launches = static_cast<Launches&>(*call.workspace);
    try {
      const Current current(device_memory().gpu());
      launches.wait();
    } catch (const Error& e) {
      throw Error(e.code(), fmt::format("plugin '{}': {}", call.plugin.id(), e.what()));
    }
    launches.take(call.reductions);
  }

 private:
  std::string_view label() const noexcept override { return "eagle::DeviceKernel::run"; }
  void drive(const Call& call, const Partition& partition) const override {
    const Current current(device_memory().gpu());
    auto& launches = static_cast<Launches&>(*call.workspace);
    if (call.reductions.empty()) launches.launch(partition, stream(call));
    else launches.launch_folded(partition, stream(call));
  }

  Stream stream(const Call& call) const { return call.stream ? static_cast<Stream>(*call.stream) : device_memory().stream(); }

  const DeviceMemory& device_memory() const {
    const std::lock_guard lock(mutex_);
    if (!memory_) {
      const Gpu& gpu = Gpu::at(options_.device.value_or(node_rank_ % Gpu::count()));
      memory_.emplace(gpu, options_.stream ? static_cast<Stream>(*options_.stream) : gpu.stream());
    }
    return *memory_;
  }

  std::string device_text() const {
    if (options_.device) return std::to_string(*options_.device);
    return node_rank_ == 0 ? "0" : fmt::format("{} modulo devices", node_rank_);
  }

  /// Held, so that what one bind has loaded is there for the next.
  std::shared_ptr<const Kernel> kernel(const Plugin& plugin) const {
    auto found = kernel_of(device_memory().gpu(), plugin);
    const std::lock_guard lock(mutex_);
    held_ = found;
    return found;
  }

  DeviceKernelOptions options_;
  int node_rank_;
  mutable std::mutex mutex_;
  mutable std::optional<DeviceMemory> memory_;
  mutable std::shared_ptr<const Kernel> held_;
};

}  // namespace

StructurePtr device_kernel(DeviceKernelOptions options) { return std::make_shared<DeviceKernel>(std::move(options)); }

namespace detail {

int device_count() {
  try {
    return Gpu::count();
  } catch (const Error&) {  // driver() says why
    return 0;
  }
}

std::string devices_text() {
  std::string text;
  for (int k = 0; k < Gpu::count(); ++k) text += (k == 0 ? "" : "; ") + Gpu::describe(k);
  return text;
}

std::optional<DeviceStream> stream_of(const Memory& memory) {
  const auto* const found = dynamic_cast<const DeviceMemory*>(&memory);
  if (found == nullptr) return std::nullopt;
  return DeviceStream{found->gpu().ordinal(), found->stream()};
}

void order_streams(const DeviceStream& first, const DeviceStream& then) {
  if (first.device == then.device && first.stream == then.stream) return;
  const Gpu& gpu = Gpu::at(first.device);
  const Current of_first(gpu);
  Marker done(gpu);
  done.set(static_cast<Stream>(first.stream));
  const Current of_then(Gpu::at(then.device));
  done.hold(static_cast<Stream>(then.stream));
}

void wait_for(const DeviceStream& stream) {
  const Current current(Gpu::at(stream.device));
  check(driver().synchronize(static_cast<Stream>(stream.stream)), "cuStreamSynchronize");
}

Device device_of(const void* address) { return cuda::device_of(address); }

}  // namespace detail
}  // namespace eagle
