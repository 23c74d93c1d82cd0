// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <eagle/array.hpp>
#include <eagle/blas.hpp>
#include <eagle/mapreduce.hpp>
#include <eagle/structures.hpp>

namespace eagle {

namespace detail {

/// Where a memory space lies.
template <class MemorySpace>
Device device_in() {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<MemorySpace, Kokkos::CudaSpace>) return {Device::cuda, Kokkos::Cuda().cuda_device()};
  if constexpr (std::is_same_v<MemorySpace, Kokkos::CudaUVMSpace>) return {Device::cuda_managed, Kokkos::Cuda().cuda_device()};
  if constexpr (std::is_same_v<MemorySpace, Kokkos::CudaHostPinnedSpace>) return {Device::cuda_host, 0};
#endif
  return {};
}

}  // namespace detail

/// A view of a Kokkos::View of any layout and rank, in host memory or that of Kokkos::Cuda. It owns nothing: the View must
/// outlive its use. Const elements make it read-only.
template <class Data, class... Properties>
ArrayView view(const Kokkos::View<Data, Properties...>& array) {
  using View = Kokkos::View<Data, Properties...>;
  static_assert(Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible ||
                    detail::runs_on_cuda<typename View::execution_space>,
                "eagle::view takes Kokkos::Views in host memory or that of Kokkos::Cuda");
  using Element = typename View::value_type;
  Extents shape, strides;
  for (std::size_t k = 0; k < View::rank(); ++k) {
    shape.push_back(static_cast<std::int64_t>(array.extent(k)));
    strides.push_back(static_cast<std::int64_t>(array.stride(k)));
  }
  return view(array.data(), dtype_of<Element>(), std::move(shape), std::move(strides),
              detail::device_in<typename View::memory_space>());
}

/// A team on exactly this execution-space instance, fencing it alone. options.threads must be left at 0.
template <class Space>
  requires std::is_same_v<Space, Kokkos::OpenMP>
StructurePtr host_team(const Space& space, HostTeamOptions options = {}) {
  options.space = std::make_shared<const Space>(space);
  return host_team(std::move(options));
}

#if defined(KOKKOS_ENABLE_CUDA)
/// The device and the stream of exactly this execution-space instance, which must outlive plans and arrays made with it.
template <class Space>
  requires std::is_same_v<Space, Kokkos::Cuda>
StructurePtr device_kernel(const Space& space, DeviceKernelOptions options = {}) {
  options.device = space.cuda_device();
  options.stream = space.cuda_stream();
  return device_kernel(std::move(options));
}
#endif

}  // namespace eagle
