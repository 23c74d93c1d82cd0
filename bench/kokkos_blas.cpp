// SPDX-License-Identifier: Apache-2.0
#include <KokkosBlas1_axpby.hpp>
#include <KokkosBlas1_dot.hpp>
#include <KokkosBlas1_nrm2.hpp>

#include "baselines.hpp"

namespace bench {

template <class T>
void blas_axpby(const Team& team, const MapArguments<T>& args) {
  const auto n = static_cast<std::size_t>(args.n);
  KokkosBlas::axpby(team.space, args.a, Vector<const T>(args.x, n), args.b, Vector<T>(args.y, n));
  team.space.fence();
}

template <class T>
T blas_dot(const Team& team, const FoldArguments<T>& args) {
  return KokkosBlas::dot(team.space, args.x_view(), args.y_view());
}

template <class T>
T blas_nrm2(const Team& team, const FoldArguments<T>& args) {
  return KokkosBlas::nrm2(team.space, args.x_view());
}

#define EAGLE_BLAS(T)                                            \
  template void blas_axpby(const Team&, const MapArguments<T>&); \
  template T blas_dot(const Team&, const FoldArguments<T>&);     \
  template T blas_nrm2(const Team&, const FoldArguments<T>&);
EAGLE_BLAS(double)
EAGLE_BLAS(float)

}  // namespace bench
