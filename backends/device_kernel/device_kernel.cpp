// SPDX-License-Identifier: Apache-2.0
#include <mutex>
#include <optional>
#include <utility>

#include <eagle/error.hpp>
#include <eagle/of_plugin.hpp>
#include <eagle/structures.hpp>
#include <fmt/format.h>

#include "devices.hpp"
#include "launches.hpp"

namespace eagle {
namespace {

using namespace cuda;

class DeviceKernel final : public Structure {
 public:
  explicit DeviceKernel(DeviceKernelOptions options, int node_rank = 0)
      : Structure(StructureKind::device_kernel), options_(std::move(options)), node_rank_(node_rank) {
    if (options_.device && *options_.device < 0)
      throw Error(Code::argument, fmt::format("device {} is given: devices count from 0", *options_.device));
    check_block(options_.block);
  }

  std::string describe() const override {
    return fmt::format("device_kernel(device={}{}{}{})", device_text(),
                       options_.block > 0 ? fmt::format(", block={}", options_.block) : "",
                       options_.stream ? ", a stream of the caller's" : "", options_.staging ? ", staging=true" : "") +
           std::string(folds_where());
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
    detail::of_plugin(call.plugin.id(), [&] {
      const Current current(device_memory().gpu());
      launches.wait();
    });
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

std::string device_name(int device) { return Gpu::at(device).name(); }

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
