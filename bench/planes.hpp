// SPDX-License-Identifier: Apache-2.0
// The arrays that benchmarks run on, kept from one to the next, and what they hold.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>

namespace bench {

/// The value of sample i.
template <class T>
using Pattern = T (*)(std::int64_t i);

// Whole numbers around 0, in periods that no team and no vector width divides: sums over any threads and lanes stay small and
// so are exact, in whatever order.
template <class T>
T centred_17(std::int64_t i) {
  return static_cast<T>(i % 17 - 8);
}
template <class T>
T centred_13(std::int64_t i) {
  return static_cast<T>(i % 13 - 6);
}
/// Few ones: their squares add up exactly in float32 too.
template <class T>
T sparse_ones(std::int64_t i) {
  return static_cast<T>(i % 101 == 0);
}
/// One 1, which is the sum and the largest.
template <class T>
T single_one(std::int64_t i) {
  return static_cast<T>(i == 13);
}
/// Between 2 and 3.
template <class T>
T two_to_three(std::int64_t i) {
  return static_cast<T>(2) + static_cast<T>(i % 17) / 17;
}
/// Scattered over [0, 2^32), as splitmix64 does it.
inline std::uint64_t scattered(std::int64_t i) {
  std::uint64_t z = (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return (z ^ (z >> 31)) >> 32;
}

/// In parallel, so that threads first touch what they work on.
template <class T>
void fill(T* plane, std::int64_t n, Pattern<T> pattern) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) plane[i] = pattern(i);
}

/// Three arrays of n elements of up to 8 bytes, 64-byte aligned, kept until the program ends.
class Planes {
 public:
  /// `owners` processes of this machine are to have such arrays.
  static Planes& of(std::int64_t n, int owners = 1);

  /// Array k, filled with a pattern; not again where it still is. Unavailable where there is too little memory.
  template <class T>
  const T* filled(std::size_t k, Pattern<T> pattern) {
    T* plane = static_cast<T*>(array(k));
    const auto mark = reinterpret_cast<const void*>(pattern);
    if (std::exchange(arrays_[k].pattern, mark) != mark) fill(plane, n_, pattern);
    return plane;
  }
  /// Array k, to be written. Unavailable where there is too little memory.
  template <class T>
  T* scratch(std::size_t k) {
    T* plane = static_cast<T*>(array(k));
    arrays_[k].pattern = nullptr;
    return plane;
  }

 private:
  explicit Planes(std::int64_t n, int owners) : n_(n), owners_(owners) {}
  void* array(std::size_t k);

  struct Array {
    std::unique_ptr<void, void (*)(void*)> memory{nullptr, std::free};
    const void* pattern = nullptr;  ///< what it holds, where that is known
  };
  std::int64_t n_;
  int owners_;
  std::array<Array, 3> arrays_;
};

}  // namespace bench
