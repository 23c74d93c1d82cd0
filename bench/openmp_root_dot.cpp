// SPDX-License-Identifier: Apache-2.0
// The sum of sqrt(x) * y in whatever order OpenMP likes, body and sum inlined. Compiled for a generic CPU and for this one.
#include <cmath>
#include <cstdint>

namespace bench {

double EAGLE_OPENMP_ROOT_DOT(const double* x, const double* y, std::int64_t n, int threads) {
  double total = 0;
#pragma omp parallel for simd reduction(+ : total) num_threads(threads)
  for (std::int64_t i = 0; i < n; ++i) total += std::sqrt(x[i]) * y[i];
  return total;
}

}  // namespace bench
