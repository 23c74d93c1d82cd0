// SPDX-License-Identifier: Apache-2.0
// The delicate parts of nrm2, compiled here so that an including program's -ffast-math can neither drop tests for NaN and
// infinity nor put factors together.
#include <cmath>
#include <limits>

#include <eagle/blas.hpp>

namespace eagle::detail {

template <class T>
std::optional<T> norm_of_squares(T squares) {
  const DefaultFloatEnvironment environment;
  // Squares below the smallest normal number lose less than a rounding error of a sum that is above this bound.
  const T smallest = std::ldexp(std::numeric_limits<T>::min(), 2 * std::numeric_limits<T>::digits + 16);
  if (std::isnan(squares) || (std::isfinite(squares) && squares >= smallest)) return std::sqrt(squares);
  return std::nullopt;
}

template <class T>
std::optional<NormScale<T>> norm_scale(T largest) {
  const DefaultFloatEnvironment environment;
  if (largest == T(0) || !std::isfinite(largest)) return std::nullopt;
  int exponent = 0;
  std::frexp(largest, &exponent);
  // 2^-exponent may overflow where its halves do not.
  return NormScale<T>{exponent, std::ldexp(T(1), -exponent / 2), std::ldexp(T(1), -exponent - -exponent / 2)};
}

template <class T>
T scaled_square(T x, const NormScale<T>& scale) {
  const T scaled = x * scale.first * scale.second;
  return scaled * scaled;
}

template <class T>
T scaled_norm(T squares, const NormScale<T>& scale) {
  const DefaultFloatEnvironment environment;
  return std::ldexp(std::sqrt(squares), scale.exponent);
}

#define EAGLE_INSTANTIATE(T)                          \
  template std::optional<T> norm_of_squares(T);       \
  template std::optional<NormScale<T>> norm_scale(T); \
  template T scaled_square(T, const NormScale<T>&);   \
  template T scaled_norm(T, const NormScale<T>&);
EAGLE_INSTANTIATE(double)
EAGLE_INSTANTIATE(float)

}  // namespace eagle::detail
