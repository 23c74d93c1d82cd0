// SPDX-License-Identifier: Apache-2.0
// The decisions of nrm2, compiled here so that an including program's -ffast-math cannot drop its tests for NaN and infinity.
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
std::optional<int> norm_exponent(T largest) {
  if (largest == T(0) || !std::isfinite(largest)) return std::nullopt;
  int exponent = 0;
  std::frexp(largest, &exponent);
  return exponent;
}

template <class T>
T scaled_norm(T squares, int exponent) {
  const DefaultFloatEnvironment environment;
  return std::ldexp(std::sqrt(squares), exponent);
}

template std::optional<double> norm_of_squares(double);
template std::optional<float> norm_of_squares(float);
template std::optional<int> norm_exponent(double);
template std::optional<int> norm_exponent(float);
template double scaled_norm(double, int);
template float scaled_norm(float, int);

}  // namespace eagle::detail
