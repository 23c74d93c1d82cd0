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

/// A view of a Kokkos::View in host memory, of any layout and rank. It owns nothing: the View must outlive its use. Const
/// elements make it read-only.
template <class Data, class... Properties>
ArrayView view(const Kokkos::View<Data, Properties...>& array) {
  using View = Kokkos::View<Data, Properties...>;
  static_assert(Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible,
                "eagle::view takes Kokkos::Views in host memory");
  using Element = typename View::value_type;
  Extents shape, strides;
  for (std::size_t k = 0; k < View::rank(); ++k) {
    shape.push_back(static_cast<std::int64_t>(array.extent(k)));
    strides.push_back(static_cast<std::int64_t>(array.stride(k)));
  }
  return view(array.data(), dtype_of<Element>(), std::move(shape), std::move(strides));
}

/// A team on exactly this execution-space instance, fencing it alone. options.threads must be left at 0.
template <class Space>
  requires std::is_same_v<Space, Kokkos::OpenMP>
StructurePtr host_team(const Space& space, HostTeamOptions options = {}) {
  options.space = std::make_shared<const Space>(space);
  return host_team(std::move(options));
}

}  // namespace eagle
