// SPDX-License-Identifier: Apache-2.0
// The lambda API on Kokkos::Cuda: included by <eagle/mapreduce.hpp> where Kokkos has CUDA.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include <eagle/components.hpp>
#include <eagle/cuda_fold.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
namespace eagle::detail {

/// Runs `store(row, i)` over a tile, on the device.
template <class F, class Element>
struct StoreTile {
  F f;
  Element* tile;
  std::int64_t border, pitch, offset;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    using C = Components<ValueOf<F>>;
    const auto value = f(offset + i);
    for (std::size_t c = 0; c < C::count; ++c) tile[static_cast<std::int64_t>(c) * pitch + i - border] = C::get(value, c);
  }
};

template <class Element>
using CudaFolds = std::vector<std::unique_ptr<CudaFold<Element>>>;

template <class O, class Element>
CudaFolds<Element> cuda_folds(const Kokkos::Cuda& space, std::size_t count, std::int64_t begin, std::int64_t end,
                              Precision precision) {
  CudaFolds<Element> folds;
  for (std::size_t c = 0; c < count; ++c)
    folds.push_back(
        std::make_unique<CudaFold<Element>>(space.cuda_device(), space.cuda_stream(), O::op, precision, begin, end));
  return folds;
}

/// Calls queue(first, last) for tiles of [begin, end).
template <class Element, class Queue>
void for_each_cuda_tile(std::int64_t begin, std::int64_t end, const Queue& queue) {
  constexpr std::int64_t most = CudaFold<Element>::tile_samples;
  for (std::int64_t first = begin; first < end;) {
    const std::int64_t last = std::min(end, (first / most + 1) * most);
    queue(first, last);
    first = last;
  }
}

/// The spans of samples [begin, end), where sample i is f(offset + i): tiles in device memory, folded by kernels of eagle's
/// own, so that no flag of the including program can contract what combines.
template <class O, class Space, class F>
  requires runs_on_cuda<Space>
SpansOf<F> map_spans(const Space& space, std::int64_t begin, std::int64_t end, std::int64_t offset, Precision precision,
                     const F& f) {
  require_running();
  using C = Components<ValueOf<F>>;
  using Element = typename C::Element;
  using Policy = Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::int64_t>>;
  auto folds = cuda_folds<O, Element>(space, C::count, begin, end, precision);
  const std::int64_t base = begin / block_samples * block_samples;
  const std::int64_t pitch =
      (std::min(CudaFold<Element>::tile_samples, end - base) + block_samples - 1) / block_samples * block_samples;
  Kokkos::View<Element*, Kokkos::CudaSpace> tile(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "eagle::mapreduce::tile"),
      C::count * static_cast<std::size_t>(std::max<std::int64_t>(pitch, 0)));
  for_each_cuda_tile<Element>(begin, end, [&](std::int64_t first, std::int64_t last) {
    const std::int64_t border = first / block_samples * block_samples;
    Kokkos::parallel_for("eagle::mapreduce", Policy(space, first, last),
                         StoreTile<F, Element>{f, tile.data(), border, pitch, offset});
    for (std::size_t c = 0; c < C::count; ++c)
      folds[c]->queue(tile.data() + static_cast<std::int64_t>(c) * pitch + (first - border), first, last - first);
  });
  SpansOf<F> spans;
  for (auto& fold : folds) spans.push_back(fold->finish());
  return spans;
}

/// Folds contiguous device memory where it lies.
template <class O, class Space, class T>
  requires runs_on_cuda<Space>
T reduce_contiguous(const Space& space, const T* data, std::int64_t n, Precision precision) {
  require_running();
  const auto folds = cuda_folds<O, T>(space, 1, 0, n, precision);
  for_each_cuda_tile<T>(0, n,
                        [&](std::int64_t first, std::int64_t last) { folds[0]->queue(data + first, first, last - first); });
  return folds[0]->finish().finish(n);
}

}  // namespace eagle::detail
#endif
