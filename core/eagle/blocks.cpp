// SPDX-License-Identifier: Apache-2.0
#include <eagle/blocks.hpp>

#include <atomic>
#include <cmath>
#include <cstring>
#include <type_traits>

#define EAGLE_INLINE [[gnu::always_inline]] inline

namespace eagle::detail {
namespace {

/// One whole block in the canonical order, two rows a pass.
template <class O, class T>
EAGLE_INLINE T fold_block(const T* p) {
  alignas(64) T lane[lanes];
  for (int l = 0; l < lanes; ++l) lane[l] = O::combine(O::lift(p[l]), O::lift(p[lanes + l]));
  for (const T* row = p + 2 * lanes; row < p + block_samples; row += 2 * lanes)
    for (int l = 0; l < lanes; ++l) lane[l] = O::combine(O::combine(lane[l], O::lift(row[l])), O::lift(row[lanes + l]));
  for (int s = lanes / 2; s > 0; s /= 2)
    for (int l = 0; l < s; ++l) lane[l] = O::combine(lane[l], lane[l + s]);
  return canonical(lane[0]);
}

template <class T, int n>
using Values [[gnu::vector_size(n * sizeof(T))]] = T;

/// A vector of lanes, with their errors where the sum is compensated.
template <class O, class V, bool compensated>
struct Lanes {
  V s, e;
  EAGLE_INLINE void start(const V& x) {
    s = x;
    e = V{};
  }
  EAGLE_INLINE void take(const V& x) {
    if constexpr (compensated) {
      V sum;
      e += two_sum(s, x, sum);
      s = sum;
    } else if constexpr (std::is_same_v<O, Sum>) s += x;
    else s *= x;
  }
  EAGLE_INLINE void join(const Lanes& right) {
    if constexpr (compensated) {
      V sum;
      const V error = two_sum(s, right.s, sum);
      s = sum;
      e = (e + right.e) + error;
    } else take(right.s);
  }
};

/// The lane tree over the n lanes of one vector.
template <class O, class T, int n, bool compensated>
EAGLE_INLINE Term<T> fold_vector(const Lanes<O, Values<T, n>, compensated>& lane) {
  if constexpr (n == 2) return Tree<O, T, compensated>::combine({lane.s[0], lane.e[0]}, {lane.s[1], lane.e[1]});
  else {
    Lanes<O, Values<T, n / 2>, compensated> left, right;
    std::memcpy(&left.s, &lane.s, sizeof left.s);
    std::memcpy(&left.e, &lane.e, sizeof left.e);
    std::memcpy(&right.s, reinterpret_cast<const char*>(&lane.s) + sizeof left.s, sizeof right.s);
    std::memcpy(&right.e, reinterpret_cast<const char*>(&lane.e) + sizeof left.e, sizeof right.e);
    left.join(right);
    return fold_vector<O, T, n / 2, compensated>(left);
  }
}

/// The same block one row a pass, its lanes in registers to the end: for an instruction set whose registers hold them all. It
/// reads memory in one stream, which prefetchers follow best.
template <class O, class T, bool compensated>
EAGLE_INLINE Term<T> fold_block_in_registers(const T* p) {
  constexpr int width = 64 / sizeof(T), count = lanes / width;
  Lanes<O, Values<T, width>, compensated> lane[count];
  Values<T, width> x;
#pragma GCC unroll 8
  for (int v = 0; v < count; ++v) {
    std::memcpy(&x, p + v * width, sizeof x);
    lane[v].start(x);
  }
#pragma GCC unroll 1
  for (const T* row = p + lanes; row < p + block_samples; row += lanes) {
#pragma GCC unroll 8
    for (int v = 0; v < count; ++v) {
      std::memcpy(&x, row + v * width, sizeof x);
      lane[v].take(x);
    }
  }
#pragma GCC unroll 4
  for (int s = count / 2; s > 0; s /= 2)
#pragma GCC unroll 4
    for (int v = 0; v < s; ++v) lane[v].join(lane[v + s]);
  return Tree<O, T, compensated>::canonical(fold_vector<O, T, width, compensated>(lane[0]));
}

/// The maximum does not depend on the order: the fastest loop that keeps its three rules, namely that a NaN wins, that a
/// larger value wins, and that a zero is -0 only where every zero is. Vectors of 64 bytes, whatever the instruction set has.
template <class T>
EAGLE_INLINE T fold_block_max(const T* p) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  constexpr int width = 64 / sizeof(T), chains = 4;
  using Row = Values<T, width>;
  using Masks = Values<Bits, width>;
  Row largest[chains];
  Masks all[chains], nan[chains];
  for (int c = 0; c < chains; ++c) {
    largest[c] = Row{} - std::numeric_limits<T>::infinity();
    all[c] = ~Masks{};
    nan[c] = Masks{};
  }
  for (const T* row = p; row < p + block_samples; row += chains * width)
    for (int c = 0; c < chains; ++c) {
      Row x;
      std::memcpy(&x, row + c * width, sizeof x);
      largest[c] = largest[c] > x ? largest[c] : x;
      all[c] &= reinterpret_cast<Masks>(x);
      nan[c] |= x != x;
    }
  T result = -std::numeric_limits<T>::infinity();
  Bits every = -1, any_nan = 0;
  for (int c = 0; c < chains; ++c)
    for (int l = 0; l < width; ++l) {
      result = result > largest[c][l] ? result : largest[c][l];
      every &= all[c][l];
      any_nan |= nan[c][l];
    }
  if (any_nan != 0) return canonical(std::numeric_limits<T>::quiet_NaN());
  if (result == T(0)) return every < 0 ? -T(0) : T(0);
  return result;
}

template <class T>
EAGLE_INLINE Term<T> fold_block_compensated(const T* p) {
  alignas(64) T s[lanes], e[lanes];
  for (int l = 0; l < lanes; ++l) {
    s[l] = p[l];
    e[l] = T(0);
  }
  for (const T* row = p + lanes; row < p + block_samples; row += lanes)
    for (int l = 0; l < lanes; ++l) {
      T sum;
      const T error = two_sum(s[l], row[l], sum);
      s[l] = sum;
      e[l] += error;
    }
  for (int step = lanes / 2; step > 0; step /= 2)
    for (int l = 0; l < step; ++l) {
      const auto sum = Tree<Sum, T, true>::combine({s[l], e[l]}, {s[l + step], e[l + step]});
      s[l] = sum.s;
      e[l] = sum.e;
    }
  return {canonical(s[0]), canonical(e[0])};
}

template <class O, class T, bool compensated, bool in_registers>
EAGLE_INLINE void fold_all(const T* samples, std::int64_t blocks, Term<T>* values) {
  for (std::int64_t b = 0; b < blocks; ++b, samples += block_samples) {
    if constexpr (in_registers && std::is_floating_point_v<T> && (std::is_same_v<O, Sum> || std::is_same_v<O, Times>))
      values[b] = fold_block_in_registers<O, T, compensated>(samples);
    else if constexpr (compensated) values[b] = fold_block_compensated(samples);
    else if constexpr (std::is_same_v<O, Max> && std::is_floating_point_v<T>) values[b] = {fold_block_max(samples), T(0)};
    else values[b] = {fold_block<O>(samples), T(0)};
  }
}

// One struct an instruction set: the same source, compiled for it by a target attribute.
#define EAGLE_BLOCK_PATH(Path, attribute, in_registers)                                  \
  struct Path {                                                                          \
    template <class O, class T, bool compensated>                                        \
    attribute static void fold(const T* samples, std::int64_t blocks, Term<T>* values) { \
      fold_all<O, T, compensated, in_registers>(samples, blocks, values);                \
    }                                                                                    \
  }

EAGLE_BLOCK_PATH(Generic, , false);
#if defined(__x86_64__)
EAGLE_BLOCK_PATH(Avx2, __attribute__((target("avx2"))), false);
EAGLE_BLOCK_PATH(Avx512, __attribute__((target("avx512f,avx512dq,avx512vl,prefer-vector-width=512"))), true);
bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0;
}
#endif
bool always() { return true; }

template <class Path, class T>
FoldBlocks<T> choose(Op op, bool compensated) {
  return visit<T>(op, compensated, []<class O, bool with_errors>(Tree<O, T, with_errors>) -> FoldBlocks<T> {
    return &Path::template fold<O, T, with_errors>;
  });
}

template <class Path>
constexpr BlockPath path(std::string_view name, bool (*supported)()) {
  return {name,
          supported,
          choose<Path, double>,
          choose<Path, float>,
          choose<Path, std::int64_t>,
          choose<Path, std::uint64_t>,
          choose<Path, std::int32_t>,
          choose<Path, std::uint32_t>};
}

constexpr BlockPath paths[] = {
    path<Generic>("generic", always),
#if defined(__x86_64__)
    path<Avx2>("avx2", has_avx2),
    path<Avx512>("avx512", has_avx512),
#endif
};

const BlockPath* fastest() {
  const BlockPath* best = &paths[0];
  for (const BlockPath& each : paths)
    if (each.supported()) best = &each;
  return best;
}

std::atomic<const BlockPath*> in_use = nullptr;

}  // namespace

std::span<const BlockPath> block_paths() { return paths; }

void use_block_path(const BlockPath* path) { in_use.store(path != nullptr ? path : fastest()); }

template <Reducible T>
FoldBlocks<T> fold_blocks(Op op, bool compensated) {
  const BlockPath* path = in_use.load(std::memory_order_relaxed);
  if (path == nullptr) in_use.store(path = fastest(), std::memory_order_relaxed);
  if constexpr (std::is_same_v<T, double>) return path->float64(op, compensated);
  else if constexpr (std::is_same_v<T, float>) return path->float32(op, compensated);
  else if constexpr (std::is_same_v<T, std::int64_t>) return path->int64(op, compensated);
  else if constexpr (std::is_same_v<T, std::uint64_t>) return path->uint64(op, compensated);
  else if constexpr (std::is_same_v<T, std::int32_t>) return path->int32(op, compensated);
  else return path->uint32(op, compensated);
}

template <Reducible T>
Term<T> combine(Op op, bool compensated, const Term<T>& left, const Term<T>& right) {
  return visit<T>(op, compensated, [&]<class Tree>(Tree) { return Tree::canonical(Tree::combine(left, right)); });
}

template <Reducible T>
Term<T> fold_short_block(Op op, bool compensated, const T* lifted, std::int64_t count) {
  return visit<T>(op, compensated, [&]<class Tree>(Tree) { return Tree::fold_block(lifted, count); });
}

#define EAGLE_INSTANTIATE(T)                                          \
  template FoldBlocks<T> fold_blocks(Op, bool);                       \
  template Term<T> combine(Op, bool, const Term<T>&, const Term<T>&); \
  template Term<T> fold_short_block(Op, bool, const T*, std::int64_t);
EAGLE_EACH_REDUCIBLE(EAGLE_INSTANTIATE)

}  // namespace eagle::detail
