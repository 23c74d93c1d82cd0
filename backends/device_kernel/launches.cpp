// SPDX-License-Identifier: Apache-2.0
#include "launches.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <eagle/error.hpp>
#include <fmt/format.h>

namespace eagle::cuda {
bool is_captured(Stream stream) {
  int status = not_capturing;
  check(driver().capture_status(stream, &status), "cuStreamIsCapturing");
  return status != not_capturing;
}

void check_block(int threads) {
  if (threads < 0 || threads > 1024)
    throw Error(Code::argument,
                fmt::format("a block of {} threads is given: 1 to 1024, or 0 to have it chosen from occupancy", threads));
}

std::string_view folds_where() { return OwnKernels::built() ? "" : ", partials folded on the host (built without nvcc)"; }

std::int64_t Launches::Folded::border(std::int64_t first) { return first / detail::block_samples * detail::block_samples; }

Pointer Launches::Folded::samples(std::int64_t first) const {
  return tile->address() + static_cast<Pointer>((first - border(first)) * size_of(dtype));
}

void Launches::Folded::place(const DeviceMemory& memory, std::int64_t first, std::int64_t last, Stream stream) {
  const Pointer before = tile->address() - static_cast<Pointer>(border(first) * size_of(dtype));
  box->data = reinterpret_cast<void*>(before);
  set_identity(memory, samples(first), last - first, stream);
}

void Launches::Folded::set_identity(const DeviceMemory& memory, Pointer to, std::int64_t count, Stream stream) const {
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

Launches::Launches(const DeviceMemory& memory, std::shared_ptr<const Kernel> kernel, int block, const Call& call,
                   std::span<const Partition> partitions)
    : memory_(memory), kernel_(std::move(kernel)), block_(block), last_(memory.stream()) {
  if (block_ == 0) {
    const int tuned = detail::setting_for(call, StructureKind::device_kernel, memory.gpu().name(), partitions).block;
    block_ = tuned > 0 && tuned <= kernel_->most_threads ? tuned : kernel_->best_block;
  }
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

Launches::~Launches() {
  try {
    const Current current(memory_.gpu());
    wait();
  } catch (const Error&) {  // a failed launch was reported, or nobody asks any more
  }
}

Launches::Folded Launches::make_folded(const Reduction& reduction, std::int64_t n_samples) {
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

/// What is queued on a stream now comes after what binding and earlier launches have queued on others.
void Launches::follow(Stream stream) {
  if (pending_ && stream != last_) {
    if (is_captured(stream) || is_captured(last_))
      throw Error(Code::argument,
                  "it follows work on another stream, and one of the two streams is captured, so that nothing can order them: "
                  "plan with stream= the captured stream, or launch once on it and wait with result() before capturing");
    mark_->set(last_);
    mark_->hold(stream);
  }
  last_ = stream;
  launched_ = pending_ = true;
}

void Launches::launch(const Partition& part, Stream stream) {
  if (part.count == 0) return;
  follow(stream);
  triple_[0] = part.base;
  triple_[1] = part.count;
  triple_[2] = part.n_samples;
  cuda::launch(*kernel_, part.count, block_, stream, params_.data());
}

void Launches::launch_folded(const Partition& part, Stream stream) {
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

void Launches::wait() {
  if (!launched_) return;
  if (is_captured(last_))
    throw Error(Code::argument, "what was launched is being captured and does not run: end the capture, and replay the graph");
  check(driver().synchronize(last_), "cuStreamSynchronize");
  pending_ = false;
}

void Launches::take(std::span<Reduction> reductions) const {
  for (std::size_t k = 0; k < folded_.size(); ++k) reductions[k].total = folded_[k].fold->take();
}

}  // namespace eagle::cuda
