// SPDX-License-Identifier: Apache-2.0
// The frozen inputs of the canonical reduction: sample i of a kind depends on seed and i alone, and no step rounds.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace samples {

inline std::uint64_t mix(std::uint64_t s) {
  std::uint64_t z = s + 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// What differs between float64 and float32: bit patterns and field widths.
template <class T>
struct Format;
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr int mantissa = 52, large = 41, uniform = 11, spread = 997, lowest = -498, cancelling = 21;
  static constexpr double unit = 1e15, eighth = 1.0 / 8;
  static constexpr int eighth_shift = 61;
  static constexpr Bits specials[12] = {0x0000000000000001, 0x800fffffffffffff, 0x8000000000000000, 0x0000000000000000,
                                        0x0010000000000000, 0x8000000000000001, 0x7fe1ccf385ebc8a0, 0xffe1ccf385ebc8a0,
                                        0x7ff0000000000000, 0xfff0000000000000, 0x7ff800000000beef, 0xfff0000000000123};
  static constexpr Bits quiet = 0x7ff8000000000000;
  static constexpr std::uint64_t payloads = 0x3fffff;
};
template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr int mantissa = 23, large = 13, uniform = 40, spread = 241, lowest = -120, cancelling = 11;
  static constexpr float unit = 1e6F, eighth = 1.0F / 16;
  static constexpr int eighth_shift = 60;
  static constexpr Bits specials[12] = {0x00000001, 0x807fffff, 0x80000000, 0x00000000, 0x00800000, 0x80000001,
                                        0x7e967699, 0xfe967699, 0x7f800000, 0xff800000, 0x7fc0beef, 0xff800123};
  static constexpr Bits quiet = 0x7fc00000;
  static constexpr std::uint64_t payloads = 0x3fffff;
};

/// Sign, mantissa and exponent drawn from x and y, with exponents from `lowest` on.
template <class T>
T spread(std::uint64_t x, std::uint64_t y, int lowest, unsigned exponents) {
  using F = Format<T>;
  const std::uint64_t fraction = (x >> (63 - F::mantissa + 1)) | (std::uint64_t{1} << F::mantissa);
  const int exponent = lowest + static_cast<int>((y & 0xffffffffU) % exponents);
  const T magnitude = std::ldexp(static_cast<T>(fraction), exponent - F::mantissa);
  return (y >> 63) != 0 ? -magnitude : magnitude;
}

/// A sample whose NaN payload must survive is made as bits and copied, never computed with.
template <class T>
T floating(const std::string& kind, std::uint64_t seed, std::uint64_t i) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  const std::uint64_t x = mix(seed + i * 0x9E3779B97F4A7C15ULL), y = mix(x);
  const auto bits = [](std::uint64_t b) { return std::bit_cast<T>(static_cast<Bits>(b)); };
  const auto uniform = [&] { return std::ldexp(static_cast<T>(x >> F::uniform), -(F::mantissa + 1)); };
  if (kind == "uniform") return uniform();
  if (kind == "alternating_1e15") return (i % 2 == 0 ? F::unit : -F::unit) + static_cast<T>(x >> F::eighth_shift) * F::eighth;
  if (kind == "decades300") return spread<T>(x, y, F::lowest, F::spread);
  if (kind == "cancelling") {
    const std::uint64_t k = i % 4096;
    if (k < 2048) return spread<T>(x, y, 0, F::cancelling);
    return -floating<T>(kind, seed, 4096 * (i / 4096) + 32 * (i % 64) + (k - 2048) / 64);
  }
  if (kind == "near_one") {
    const auto offset = static_cast<std::int64_t>(x >> (63 - F::large)) - (std::int64_t{1} << F::large);
    return T(1) + std::ldexp(static_cast<T>(offset), -F::mantissa);
  }
  if (kind == "fma_pairs") {
    const T value = T(1) + std::ldexp(T(1), std::is_same_v<T, double> ? -26 : -12);
    return i / 64 % 2 == 0 ? -value : value;
  }
  if (kind == "specials") return i % 97 == 96 ? bits(F::specials[i / 97 % 12]) : uniform();
  if (kind == "specials_finite") return bits(F::specials[x % 8]);
  if (kind == "tiny_subnormal") return bits(1);
  if (kind == "signed_zeros") return x % 512 == 0 ? T(0) : -T(0);
  if (kind == "nan_payloads") return bits(F::quiet | ((x >> 63) << (8 * sizeof(T) - 1)) | (1 + x % F::payloads));
  if (kind == "ones") return T(1);
  if (kind == "six_ones_minus_six") return i % 7 == 6 ? T(-6) : T(1);
  if (kind == "booleans") return x % 4096 == 0 ? T(0) : T(1);
  throw std::invalid_argument(kind);
}

template <class T>
T integer(const std::string& kind, std::uint64_t seed, std::uint64_t i) {
  const std::uint64_t x = mix(seed + i * 0x9E3779B97F4A7C15ULL);
  if (kind == "integers_full_range") return static_cast<T>(x);
  if (kind == "integers_odd") return static_cast<T>(x | 1);
  if (kind == "ones") return T(1);
  if (kind == "six_ones_minus_six") return i % 7 == 6 ? static_cast<T>(-6) : T(1);
  if (kind == "booleans") return x % 4096 == 0 ? T(0) : T(1);
  throw std::invalid_argument(kind);
}

template <class T>
T sample(const std::string& kind, std::uint64_t seed, std::uint64_t i) {
  if constexpr (std::is_floating_point_v<T>) return floating<T>(kind, seed, i);
  else return integer<T>(kind, seed, i);
}

template <class T>
std::vector<T> generate(const std::string& kind, std::uint64_t seed, std::size_t n) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = sample<T>(kind, seed, i);
  return values;
}

}  // namespace samples
