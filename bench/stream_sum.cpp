// SPDX-License-Identifier: Apache-2.0
// Compiled for this CPU. Of headers only what has no code in it, which others might then share.
#include <cstdint>

namespace bench {

template <class T>
T stream_sum_native(const T* x, std::int64_t n, int threads) {
  constexpr std::int64_t lanes = 512 / sizeof(T);
  const std::int64_t whole = n / lanes * lanes;
  T total = 0;
#pragma omp parallel num_threads(threads) reduction(+ : total)
  {
    T part[lanes] = {};
#pragma omp for nowait
    for (std::int64_t i = 0; i < whole; i += lanes)
      for (std::int64_t k = 0; k < lanes; ++k) part[k] += x[i + k];
    for (const T each : part) total += each;
  }
  for (std::int64_t i = whole; i < n; ++i) total += x[i];
  return total;
}

template double stream_sum_native(const double*, std::int64_t, int);
template float stream_sum_native(const float*, std::int64_t, int);

}  // namespace bench
