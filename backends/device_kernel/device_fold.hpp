// SPDX-License-Identifier: Apache-2.0
// Private to eagle::cuda: the canonical reduction of samples that lie on a device.
#pragma once

#include <memory>
#include <optional>

#include <eagle/any_span.hpp>

#include "memory.hpp"
#include "own_kernels.hpp"

namespace eagle::cuda {

/// Folds the samples [begin, end) of one run, tile by tile in order, into a span: whole blocks on the device, by kernels with
/// the host's expression, whose few values come back to pinned memory with the raw samples at both ends. Without own kernels
/// the samples themselves come back. Allocates in the constructor alone.
class DeviceFold {
 public:
  /// Samples of the tiles, which end at multiples of it (and of 1024 * 1024): what a plane of partials is cut into, so that it
  /// stays in a device's cache. Not tuned on a device yet.
  static constexpr std::int64_t tile_samples = std::int64_t{1} << 22;

  DeviceFold(const DeviceMemory& memory, const AnySpan& kind, std::int64_t begin, std::int64_t end);

  /// Queues the fold of the samples [begin, begin + count), which lie at `samples`, aligned to 16 bytes where `begin` is a
  /// multiple of 1024 or else as far behind that as they are. The first tile starts at the fold's begin, each other one where
  /// the last ended.
  void queue(Pointer samples, std::int64_t begin, std::int64_t count, Stream stream);
  /// The span, once all that was queued is done.
  [[nodiscard]] AnySpan take() const;

 private:
  void queue_on_device(Pointer samples, std::int64_t begin, std::int64_t count, Stream stream);
  [[nodiscard]] Pointer raw(Pointer samples, std::int64_t begin, std::int64_t at) const;

  const DeviceMemory& memory_;
  AnySpan kind_;
  std::int64_t begin_, end_;
  std::size_t element_, term_;
  // Borders, in samples: front, then blocks, then groups of 1024 blocks, then blocks, then back; each may be empty.
  std::int64_t first_block_, first_group_, last_group_, last_block_;
  std::optional<Folds> folds_;
  std::optional<Buffer> values_, nodes_;
  // In pinned memory, one after the other: front, values before the groups, nodes, values after them, back.
  std::size_t at_head_ = 0, at_nodes_ = 0, at_tail_ = 0, at_back_ = 0;
  std::optional<Pinned> found_;
  AnySpan appended_;  ///< without own kernels
};

}  // namespace eagle::cuda
