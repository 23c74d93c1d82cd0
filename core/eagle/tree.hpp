// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <eagle/reduction.hpp>

/// The canonical reduction's expression within a block (docs/reproducibility.md), for host and device code: what a lane holds,
/// how two terms combine, in which order the lanes do. Loops that are faster and give the same bits are in blocks.cpp.
namespace eagle::detail {

/// Samples in a block, and lanes that they are dealt to.
constexpr std::int64_t block_samples = 1024;
constexpr std::int64_t lanes = 64;

/// A value, with the sum of the rounding errors that made it where the sum is compensated, else 0.
template <Reducible T>
struct Term {
  T s;
  T e;
};

/// Knuth's TwoSum (The Art of Computer Programming 2, 4.2.2, theorem B): s is the rounded sum, the result its exact error.
template <class T>
[[gnu::always_inline]] EAGLE_FUNCTION constexpr T two_sum(T a, T b, T& s) noexcept {
  s = rounded_sum(a, b);
  const T bb = rounded_sum(s, -a);
  return rounded_sum(rounded_sum(a, -rounded_sum(s, -bb)), rounded_sum(b, -bb));
}

/// One reduction: operator, element type and whether it carries errors (sums of floating-point types only).
template <class O, Reducible T, bool compensated = false>
struct Tree {
  static_assert(!compensated || (std::is_same_v<O, Sum> && std::is_floating_point_v<T>));

  /// A lifted sample as a term.
  EAGLE_FUNCTION static constexpr Term<T> term(T lifted) noexcept { return {lifted, T(0)}; }

  EAGLE_FUNCTION static constexpr Term<T> combine(const Term<T>& a, const Term<T>& b) noexcept {
    if constexpr (compensated) {
      Term<T> sum{};
      const T error = two_sum(a.s, b.s, sum.s);
      sum.e = rounded_sum(rounded_sum(a.e, b.e), error);
      return sum;
    } else return {O::combine(a.s, b.s), T(0)};
  }

  /// What a block value or a joined node is kept as.
  EAGLE_FUNCTION static constexpr Term<T> canonical(const Term<T>& x) noexcept {
    return {eagle::canonical(x.s), eagle::canonical(x.e)};
  }

  /// Lane l of a block of `count` lifted samples, l < count.
  EAGLE_FUNCTION static constexpr Term<T> lane(const T* lifted, std::int64_t count, std::int64_t l) noexcept {
    Term<T> value = term(lifted[l]);
    for (std::int64_t i = l + lanes; i < count; i += lanes) value = combine(value, term(lifted[i]));
    return value;
  }

  /// The lane tree over the first `present` lanes; the others are absent. The value is left in the first.
  EAGLE_FUNCTION static constexpr void fold_lanes(Term<T>* lane, std::int64_t present) noexcept {
    for (std::int64_t s = lanes / 2; s > 0; s /= 2)
      for (std::int64_t l = 0; l < s && l + s < present; ++l) lane[l] = combine(lane[l], lane[l + s]);
  }

  /// A block of 1 <= count <= block_samples lifted samples, canonical.
  EAGLE_FUNCTION static constexpr Term<T> fold_block(const T* lifted, std::int64_t count) noexcept {
    Term<T> value[lanes];
    const std::int64_t present = count < lanes ? count : lanes;
    for (std::int64_t l = 0; l < present; ++l) value[l] = lane(lifted, count, l);
    fold_lanes(value, present);
    return canonical(value[0]);
  }
};

/// Calls f with the Tree of an operator, and returns what f returns. Compensated for sums of floating-point types only.
template <Reducible T, class F>
decltype(auto) visit(Op op, bool compensated, F&& f) {
  if constexpr (std::is_floating_point_v<T>)
    if (compensated) return f(Tree<Sum, T, true>{});
  return eagle::visit(op, [&]<class O>(O) -> decltype(auto) { return f(Tree<O, T>{}); });
}

}  // namespace eagle::detail
