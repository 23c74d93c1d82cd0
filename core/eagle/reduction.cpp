// SPDX-License-Identifier: Apache-2.0
#include <eagle/reduction.hpp>

#include <eagle/float_environment.hpp>

namespace eagle {

template <Reducible T>
T fold(Op op, std::span<const T> values) noexcept {
  const DefaultFloatEnvironment environment;
  return visit(op, [&]<class O>(O) {
    if (values.empty()) return O::template identity<T>();
    T folded = O::lift(values[0]);
    for (const T value : values.subspan(1)) folded = O::combine(folded, O::lift(value));
    return canonical(folded);
  });
}

#define EAGLE_INSTANTIATE(T) template T fold(Op, std::span<const T>) noexcept;
EAGLE_EACH_REDUCIBLE(EAGLE_INSTANTIATE)

}  // namespace eagle
