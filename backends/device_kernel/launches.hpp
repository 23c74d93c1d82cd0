// SPDX-License-Identifier: Apache-2.0
// Private to eagle::cuda and eagle::nccl: the launches of one bound plan on one device.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <eagle/reduction.hpp>
#include <eagle/structure.hpp>

#include "device_fold.hpp"
#include "kernel.hpp"

namespace eagle::cuda {

/// Error(argument) unless a block may have so many threads; 0 is chosen from occupancy.
void check_block(int threads);
/// Whether a stream is being captured into a graph.
bool is_captured(Stream stream);
/// What plans say of their folds; empty where they are the device's.
std::string_view folds_where();

/// What is kept for them: the kernel, its parameters, and what a mapreduce needs.
class Launches final : public Workspace {
 public:
  /// Of partitions that follow each other. `block` is 0 for what a profile says, or the kernel's best. Error(argument) where
  /// the kernel takes fewer.
  Launches(const DeviceMemory& memory, std::shared_ptr<const Kernel> kernel, int block, const Call& call,
           std::span<const Partition> partitions);
  /// Waits for what was launched.
  ~Launches() override;

  void launch(const Partition& part, Stream stream);
  /// Runs a partition's samples tile by tile into scratch, and folds each tile with its last sample. Partitions come in order.
  void launch_folded(const Partition& part, Stream stream);
  /// Returns when all launches are done. The device's context is current.
  void wait();
  /// What the launches fold to, once they are done.
  void take(std::span<Reduction> reductions) const;

 private:
  /// A folded output: a tile of partials, whose box points so far before it that bodies find it at the sample's index.
  struct Folded {
    std::unique_ptr<Buffer> tile;
    std::unique_ptr<DeviceFold> fold;
    std::unique_ptr<ScalarHandle> box;
    DType dtype;
    alignas(8) std::array<std::byte, 8> identity = {};

    [[nodiscard]] static std::int64_t border(std::int64_t first);
    [[nodiscard]] Pointer samples(std::int64_t first) const;
    void place(const DeviceMemory& memory, std::int64_t first, std::int64_t last, Stream stream);
    void set_identity(const DeviceMemory& memory, Pointer to, std::int64_t count, Stream stream) const;
  };
  Folded make_folded(const Reduction& reduction, std::int64_t n_samples);
  void follow(Stream stream);

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

}  // namespace eagle::cuda
