// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <eagle/span.hpp>

namespace eagle::detail {

/// The canonical reduction of samples that lie on a CUDA device, by eagle's own kernels, on a stream of the caller's; what the
/// lambda API stands on for Kokkos::Cuda. Error(unavailable) without a driver or the device.
template <Reducible T>
class CudaFold {
 public:
  /// Samples of the largest tile. Tiles end at its multiples.
  static constexpr std::int64_t tile_samples = std::int64_t{1} << 22;

  /// Folds the samples [begin, end) of a run.
  CudaFold(int device, void* stream, Op op, Precision precision, std::int64_t begin, std::int64_t end);
  ~CudaFold();
  CudaFold(const CudaFold&) = delete;
  CudaFold& operator=(const CudaFold&) = delete;

  /// Queues samples [begin, begin + count) of the run, the next ones, which lie at `samples` in device memory: 16-byte aligned
  /// where `begin` is a multiple of 1024, else as far behind that as they are. They may be reused in the order of the stream.
  void queue(const T* samples, std::int64_t begin, std::int64_t count);
  /// Waits for the stream and gives the span.
  [[nodiscard]] Span<T> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eagle::detail
