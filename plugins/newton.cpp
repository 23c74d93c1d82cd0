// SPDX-License-Identifier: Apache-2.0
// sample_local at a cost that depends on the sample: the square root by Newton from above, and the steps it took.
#include <eagle/body.hpp>

EAGLE_PLUGIN(newton, (eagle::Scalar<double>, root), (eagle::Scalar<std::int64_t>, steps), (eagle::Scalar<const double>, x)) {
  double r = x[i] > 1 ? x[i] : 1;
  std::int64_t n = 0;
  for (double next = 0.5 * (r + x[i] / r); next < r; next = 0.5 * (r + x[i] / r), ++n) r = next;
  root[i] = r;
  steps[i] = n;
}
