// SPDX-License-Identifier: Apache-2.0
#include "device_fold.hpp"

#include <algorithm>

#include "kernels.hpp"

namespace eagle::cuda {
namespace {

using detail::block_samples;
constexpr std::int64_t group_samples = block_samples * detail::join_values;

std::int64_t up(std::int64_t i, std::int64_t step) { return (i + step - 1) / step * step; }
std::int64_t down(std::int64_t i, std::int64_t step) { return i / step * step; }

}  // namespace

DeviceFold::DeviceFold(const DeviceMemory& memory, const AnySpan& kind, std::int64_t begin, std::int64_t end)
    : memory_(memory),
      kind_(kind.empty_at(begin)),
      begin_(begin),
      end_(end),
      element_(static_cast<std::size_t>(size_of(kind.dtype()))),
      term_(2 * element_),
      first_block_(std::min(up(begin, block_samples), end)),
      last_block_(std::max(first_block_, down(end, block_samples))),
      appended_(kind.empty_at(begin)) {
  // Without a border of groups between them all blocks stand before the groups.
  first_group_ = std::min(up(first_block_, group_samples), last_block_);
  last_group_ = std::max(first_group_, down(last_block_, group_samples));
  const Gpu& gpu = memory.gpu();
  const auto count = [](std::int64_t samples, std::int64_t each) { return static_cast<std::size_t>(samples / each); };
  if (!OwnKernels::built()) {
    found_.emplace(gpu, element_ * static_cast<std::size_t>(std::min(tile_samples, end - begin)));
    return;
  }
  folds_.emplace(OwnKernels::of(gpu), kind.op(), kind.dtype(), kind.precision() == Precision::compensated);
  const std::size_t tile_blocks = count(std::min(tile_samples, last_block_ - first_block_), block_samples);
  values_.emplace(gpu, memory.stream(), tile_blocks * term_);
  nodes_.emplace(gpu, memory.stream(), count(last_group_ - first_group_, group_samples) * term_);
  at_head_ = static_cast<std::size_t>(first_block_ - begin_) * element_;
  at_nodes_ = at_head_ + count(first_group_ - first_block_, block_samples) * term_;
  at_tail_ = at_nodes_ + count(last_group_ - first_group_, group_samples) * term_;
  at_back_ = at_tail_ + count(last_block_ - last_group_, block_samples) * term_;
  found_.emplace(gpu, at_back_ + static_cast<std::size_t>(end_ - last_block_) * element_);
}

Pointer DeviceFold::raw(Pointer samples, std::int64_t begin, std::int64_t at) const {
  return samples + static_cast<Pointer>(at - begin) * element_;
}

void DeviceFold::queue(Pointer samples, std::int64_t begin, std::int64_t count, Stream stream) {
  if (folds_) return queue_on_device(samples, begin, count, stream);
  if (begin == begin_) appended_ = kind_;
  check(driver().copy_to_host(found_->data(), samples, static_cast<std::size_t>(count) * element_, stream),
        "cuMemcpyDtoHAsync");
  check(driver().synchronize(stream), "cuStreamSynchronize");
  appended_.append(found_->data(), count);
}

void DeviceFold::queue_on_device(Pointer samples, std::int64_t begin, std::int64_t count, Stream stream) {
  const std::int64_t end = begin + count;
  const auto bring = [&](std::size_t to, Pointer from, std::size_t bytes) {
    if (bytes > 0) check(driver().copy_to_host(found_->data() + to, from, bytes, stream), "cuMemcpyDtoHAsync");
  };
  if (begin == begin_) bring(0, samples, at_head_);
  const std::int64_t first = std::clamp(begin, first_block_, last_block_), last = std::clamp(end, first_block_, last_block_);
  const std::int64_t from = up(first, block_samples), to = down(last, block_samples);
  if (to > from) {
    folds_->fold(raw(samples, begin, from), (to - from) / block_samples, values_->address(), stream);
    const auto value = [&](std::int64_t sample) {
      return values_->address() + static_cast<Pointer>((sample - from) / block_samples) * term_;
    };
    const auto bring_values = [&](std::size_t place, std::int64_t left, std::int64_t right) {
      if (right > left) bring(place, value(left), static_cast<std::size_t>((right - left) / block_samples) * term_);
    };
    // No tile ends between two borders of groups, so each of these is whole in one tile.
    bring_values(at_head_, from, std::min(to, first_group_));
    const std::int64_t left = std::max(from, first_group_), right = std::min(to, last_group_);
    if (right > left)
      folds_->join(value(left), (right - left) / group_samples,
                   nodes_->address() + static_cast<Pointer>((left - first_group_) / group_samples) * term_, stream);
    bring_values(at_tail_, std::max(from, last_group_), to);
  }
  if (end != end_) return;
  bring(at_nodes_, nodes_->address(), at_tail_ - at_nodes_);
  bring(at_back_, raw(samples, begin, last_block_), static_cast<std::size_t>(end_ - last_block_) * element_);
}

AnySpan DeviceFold::take() const {
  if (!folds_) return appended_;
  AnySpan span = kind_;
  const std::byte* const found = found_->data();
  span.append(found, first_block_ - begin_);
  span.append_nodes(0, found + at_head_, (first_group_ - first_block_) / block_samples);
  span.append_nodes(detail::join_levels, found + at_nodes_, (last_group_ - first_group_) / group_samples);
  span.append_nodes(0, found + at_tail_, (last_block_ - last_group_) / block_samples);
  span.append(found + at_back_, end_ - last_block_);
  return span;
}

}  // namespace eagle::cuda
