// SPDX-License-Identifier: Apache-2.0
// sample_local, an output that is a matrix: m = a b^T.
#include <eagle/body.hpp>

EAGLE_PLUGIN(outer3, (eagle::Plane<double[3][3]>, m), (eagle::Plane<const double[3]>, a), (eagle::Plane<const double[3]>, b)) {
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < 3; ++k) m(r, k, i) = a(r, i) * b(k, i);
}
