// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include <eagle/abi.h>
#include <eagle/access.hpp>
#include <eagle/dtype.hpp>
#include <eagle/number.hpp>

/// The operators of a reduction, for host and device code alike. Each has identity(), lift(), what a sample becomes before
/// it is combined, and combine(), applied to rounded values of T. Integers wrap modulo 2^w.
namespace eagle {

/// The element types of reductions.
template <class T>
concept Reducible = std::same_as<T, double> || std::same_as<T, float> || std::same_as<T, std::int64_t> ||
                    std::same_as<T, std::uint64_t> || std::same_as<T, std::int32_t> || std::same_as<T, std::uint32_t>;

/// DO(T) for each of them, to instantiate templates.
#define EAGLE_EACH_REDUCIBLE(DO) DO(double) DO(float) DO(std::int64_t) DO(std::uint64_t) DO(std::int32_t) DO(std::uint32_t)

/// The one quiet NaN (0x7ff8000000000000, 0x7fc00000) for any NaN, everything else unchanged.
template <Reducible T>
EAGLE_FUNCTION constexpr T canonical(T x) noexcept {
  if constexpr (std::same_as<T, double>) return x != x ? __builtin_bit_cast(double, 0x7ff8000000000000ULL) : x;
  else if constexpr (std::same_as<T, float>) return x != x ? __builtin_bit_cast(float, 0x7fc00000U) : x;
  else return x;
}

namespace detail {

/// a + b and a * b, rounded by themselves: device compilers may not contract them with what is around them. Host code that
/// combines is compiled in eagle::core without contraction. T is a floating type, or on the host a vector of them.
template <class T>
[[gnu::always_inline]] EAGLE_FUNCTION constexpr T rounded_sum(T a, T b) noexcept {
#if defined(__CUDA_ARCH__)
  if constexpr (std::same_as<T, double>) return __dadd_rn(a, b);
  else return __fadd_rn(a, b);
#else
  return a + b;
#endif
}
template <class T>
[[gnu::always_inline]] EAGLE_FUNCTION constexpr T rounded_product(T a, T b) noexcept {
#if defined(__CUDA_ARCH__)
  if constexpr (std::same_as<T, double>) return __dmul_rn(a, b);
  else return __fmul_rn(a, b);
#else
  return a * b;
#endif
}

/// Whether the sign bit is set, zeros and NaNs included.
template <std::floating_point T>
EAGLE_FUNCTION constexpr bool negative(T x) noexcept {
  if constexpr (std::same_as<T, double>) return __builtin_bit_cast(std::int64_t, x) < 0;
  else return __builtin_bit_cast(std::int32_t, x) < 0;
}

}  // namespace detail

struct Sum {
  static constexpr Op op = Op::sum;
  template <Reducible T>
  EAGLE_FUNCTION static constexpr T identity() noexcept {
    return T(0);
  }
  template <Reducible T>
  EAGLE_FUNCTION static constexpr T lift(T x) noexcept {
    return x;
  }
  template <Reducible T>
  EAGLE_FUNCTION static constexpr T combine(T a, T b) noexcept {
    if constexpr (std::integral<T>) return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
    else return detail::rounded_sum(a, b);
  }
};

struct Times {
  static constexpr Op op = Op::times;
  template <Reducible T>
  EAGLE_FUNCTION static constexpr T identity() noexcept {
    return T(1);
  }
  template <Reducible T>
  EAGLE_FUNCTION static constexpr T lift(T x) noexcept {
    return x;
  }
  template <Reducible T>
  EAGLE_FUNCTION static constexpr T combine(T a, T b) noexcept {
    if constexpr (std::integral<T>) return T(std::make_unsigned_t<T>(a) * std::make_unsigned_t<T>(b));
    else return detail::rounded_product(a, b);
  }
};

/// IEEE 754-2019 maximum: a NaN operand gives NaN, and +0 is above -0.
struct Max {
  static constexpr Op op = Op::max;
  template <Reducible T>
  EAGLE_FUNCTION static constexpr T identity() noexcept {
    constexpr T lowest = std::integral<T> ? std::numeric_limits<T>::lowest() : -std::numeric_limits<T>::infinity();
    return lowest;
  }
  template <Reducible T>
  EAGLE_FUNCTION static constexpr T lift(T x) noexcept {
    return x;
  }
  template <Reducible T>
  EAGLE_FUNCTION static constexpr T combine(T a, T b) noexcept {
    if constexpr (std::floating_point<T>) {
      if (a != a || b != b) return canonical(a != a ? a : b);
      if (a == T(0) && b == T(0)) return detail::negative(a) ? b : a;
    }
    return a > b ? a : b;
  }
};

/// Logical and: a sample counts as 1 unless it equals zero (a NaN does not).
struct Land {
  static constexpr Op op = Op::land;
  template <Reducible T>
  EAGLE_FUNCTION static constexpr T identity() noexcept {
    return T(1);
  }
  template <Reducible T>
  EAGLE_FUNCTION static constexpr T lift(T x) noexcept {
    return T(x != T(0) ? 1 : 0);
  }
  template <Reducible T>
  EAGLE_FUNCTION static constexpr T combine(T a, T b) noexcept {
    return T(a == T(1) && b == T(1) ? 1 : 0);
  }
};

/// Calls f with the operator type of `op` and returns what f returns.
template <class F>
decltype(auto) visit(Op op, F&& f) {
  switch (op) {
    case Op::sum: return f(Sum{});
    case Op::times: return f(Times{});
    case Op::max: return f(Max{});
    case Op::land: break;
  }
  return f(Land{});
}

/// The value that combines with any lifted x to x, which also seeds unwritten slots.
template <Reducible T>
T identity(Op op) noexcept {
  return visit(op, []<class O>(O) { return O::template identity<T>(); });
}

/// A plain left-to-right fold of a short list: lifted, starting from the first value, a NaN made canonical; an empty list
/// gives the identity. Compiled in eagle::core without contraction, so its bits do not depend on the caller's flags.
/// Not the tree of a mapreduce: its result depends on the order.
template <Reducible T>
T fold(Op op, std::span<const T> values) noexcept;

}  // namespace eagle
