// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "device_kernel/kernel_block.hpp"
#include "device_kernel/kernels.hpp"

/// The bodies of the reduction's kernels (docs/reproducibility.md).
namespace eagle::detail {

/// Max::combine without a branch. A NaN of any payload stays, and is made canonical with the block. Equal values have the same
/// bits, or are zeros, of which -0 is the smaller.
template <std::floating_point T>
EAGLE_BODY T maximum(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  const T equal = __builtin_bit_cast(T, __builtin_bit_cast(Bits, a) & __builtin_bit_cast(Bits, b));
  const T other = a > b || a != a ? a : b;
  return a == b ? equal : other;
}

/// A Tree on terms as threads hold and exchange them: without the error where there is none.
template <class O, Reducible T, bool compensated>
struct HeldTree {
  using Tree = detail::Tree<O, T, compensated>;
  using Held = std::conditional_t<compensated, Term<T>, T>;
  EAGLE_BODY static Term<T> term(const Held& held) {
    if constexpr (compensated) return held;
    else return {held, T(0)};
  }
  EAGLE_BODY static Held held(const Term<T>& term) {
    if constexpr (compensated) return term;
    else return term.s;
  }
  EAGLE_BODY static Held lifted(T sample) { return held(Tree::term(O::lift(sample))); }
  EAGLE_BODY static Held combine(const Held& a, const Held& b) {
    if constexpr (std::is_same_v<O, Max> && std::is_floating_point_v<T>) return maximum(a, b);
    else return held(Tree::combine(term(a), term(b)));
  }
  EAGLE_BODY static Held canonical(const Held& a) { return held(Tree::canonical(term(a))); }
};

/// What a thread holds of a block: `neighbours` lanes.
template <class Held, int n>
struct HeldLanes {
  Held lane[n];
};

/// The lanes l to l + n - 1 of a whole block from its rows, in order; `samples` is the first row's sample l. The reads stand
/// before all else, so that a compiler has as many under way as registers allow.
template <class O, Reducible T, bool compensated, int n = neighbours<T>>
EAGLE_BODY auto fold_rows(const T* samples) {
  using Tree = HeldTree<O, T, compensated>;
  constexpr int rows = block_samples / lanes;
  struct alignas(16) Row {
    T sample[n];
  } row[rows];
  EAGLE_UNROLL
  for (int r = 0; r < rows; ++r) __builtin_memcpy(&row[r], __builtin_assume_aligned(samples + r * lanes, 16), 16);
  HeldLanes<typename Tree::Held, n> held;
  EAGLE_UNROLL
  for (int k = 0; k < n; ++k) held.lane[k] = Tree::lifted(row[0].sample[k]);
  EAGLE_UNROLL
  for (int r = 1; r < rows; ++r) {
    EAGLE_UNROLL
    for (int k = 0; k < n; ++k) held.lane[k] = Tree::combine(held.lane[k], Tree::lifted(row[r].sample[k]));
  }
  return held;
}

/// eagle_fold_<op>_<dtype>: values[b] is the canonical term of block b, of samples [1024 b, 1024 b + 1024), not yet lifted.
template <class O, Reducible T, bool compensated, class Block>
EAGLE_BODY void fold(Block block, const T* samples, long long blocks, Term<T>* values) {
  using Tree = HeldTree<O, T, compensated>;
  constexpr int n = neighbours<T>, width = lanes / n;
  using Held = HeldLanes<typename Tree::Held, n>;
  for (long long first = block.index() * folded_at_once<T>; first < blocks; first += block.count() * folded_at_once<T>) {
    typename Block::template Each<Held> held;
    block.each([&](int t) {
      // Where no block is left, the last one again: a whole warp takes part in an exchange.
      const long long b = first + t / width < blocks ? first + t / width : blocks - 1;
      held[t] = fold_rows<O, T, compensated>(samples + b * block_samples + t % width * n);
    });
    // Lane l with l + s: first of another thread, then of the same.
    EAGLE_UNROLL
    for (int distance = width / 2; distance > 0; distance /= 2) {
      auto right = block.template down<width>(held, distance);
      block.each([&](int t) {
        EAGLE_UNROLL
        for (int k = 0; k < n; ++k) held[t].lane[k] = Tree::combine(held[t].lane[k], right[t].lane[k]);
      });
    }
    block.each([&](int t) {
      EAGLE_UNROLL
      for (int s = n / 2; s > 0; s /= 2) {
        EAGLE_UNROLL
        for (int k = 0; k < s; ++k) held[t].lane[k] = Tree::combine(held[t].lane[k], held[t].lane[k + s]);
      }
      if (t % width == 0 && first + t / width < blocks)
        values[first + t / width] = Tree::term(Tree::canonical(held[t].lane[0]));
    });
  }
}

/// eagle_join_<op>_<dtype>: nodes[g] is the node over values [1024 g, 1024 g + 1024), ten levels up.
template <class O, Reducible T, bool compensated, class Block>
EAGLE_BODY void join(Block block, const Term<T>* values, long long groups, Term<T>* nodes) {
  using Tree = HeldTree<O, T, compensated>;
  constexpr int warp = 32, warps = Block::threads / warp;
  static_assert(2 * Block::threads == join_values && warps <= warp);
  for (long long g = block.index(); g < groups; g += block.count()) {
    typename Block::template Each<typename Tree::Held> node;
    block.each([&](int t) {
      const Term<T>* pair = values + g * join_values + 2 * t;
      node[t] = Tree::canonical(Tree::combine(Tree::held(pair[0]), Tree::held(pair[1])));
    });
    const auto join_next = [&](auto right) {
      block.each([&](int t) { node[t] = Tree::canonical(Tree::combine(node[t], right[t])); });
    };
    EAGLE_UNROLL
    for (int distance = 1; distance < warp; distance *= 2) join_next(block.template down<warp>(node, distance));
    node = block.template gather<warp>(node);
    EAGLE_UNROLL
    for (int distance = 1; distance < warps; distance *= 2) join_next(block.template down<warps>(node, distance));
    block.each([&](int t) {
      if (t == 0) nodes[g] = Tree::term(node[t]);
    });
  }
}

}  // namespace eagle::detail
