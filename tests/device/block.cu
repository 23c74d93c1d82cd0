// SPDX-License-Identifier: Apache-2.0
// The expression of a block in device code, with samples that are products: what a compiler would contract, if it could.
#include <eagle/tree.hpp>

namespace {

template <class O, class T, bool compensated>
__device__ void fold(const T* x, const T* y, long long n, eagle::detail::Term<T>* value) {
  using Tree = eagle::detail::Tree<O, T, compensated>;
  auto lane = Tree::term(O::lift(x[0] * y[0]));
  for (long long i = eagle::detail::lanes; i < n; i += eagle::detail::lanes)
    lane = Tree::combine(lane, Tree::term(O::lift(x[i] * y[i])));
  value[0] = Tree::canonical(lane);
  value[1] = Tree::fold_block(x, n);
}

}  // namespace

// All operators on one type.
#define EAGLE_FOLDS(name, T)                                                                                            \
  extern "C" __global__ void name(const T* x, const T* y, long long n, eagle::detail::Term<T>* values) {                \
    fold<eagle::Sum, T, false>(x, y, n, values);                                                                        \
    fold<eagle::Times, T, false>(x, y, n, values + 2);                                                                  \
    fold<eagle::Max, T, false>(x, y, n, values + 4);                                                                    \
    fold<eagle::Land, T, false>(x, y, n, values + 6);                                                                   \
    if constexpr (std::is_floating_point_v<T>) fold<eagle::Sum, T, true>(x, y, n, values + 8);                          \
  }
EAGLE_FOLDS(folds_float64, double)
EAGLE_FOLDS(folds_float32, float)
EAGLE_FOLDS(folds_int64, std::int64_t)
EAGLE_FOLDS(folds_uint64, std::uint64_t)
EAGLE_FOLDS(folds_int32, std::int32_t)
EAGLE_FOLDS(folds_uint32, std::uint32_t)
