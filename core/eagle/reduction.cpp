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

template double fold(Op, std::span<const double>) noexcept;
template float fold(Op, std::span<const float>) noexcept;
template std::int64_t fold(Op, std::span<const std::int64_t>) noexcept;
template std::uint64_t fold(Op, std::span<const std::uint64_t>) noexcept;
template std::int32_t fold(Op, std::span<const std::int32_t>) noexcept;
template std::uint32_t fold(Op, std::span<const std::uint32_t>) noexcept;

}  // namespace eagle
