// SPDX-License-Identifier: Apache-2.0
// sample_local, a matrix a sample: y = m x.
#include <eagle/body.hpp>

EAGLE_PLUGIN(matvec3, (eagle::Plane<double[3]>, y), (eagle::Plane<const double[3]>, x), (eagle::Plane<const double[3][3]>, m)) {
  for (int r = 0; r < 3; ++r) y(r, i) = m(r, 0, i) * x(0, i) + m(r, 1, i) * x(1, i) + m(r, 2, i) * x(2, i);
}
