// SPDX-License-Identifier: Apache-2.0
// sample_local, planes of vectors: q = p + dt v.
#include <eagle/body.hpp>

EAGLE_PLUGIN(drift3, (eagle::Plane<double[3]>, q), (eagle::Plane<const double[3]>, p), (eagle::Plane<const double[3]>, v),
             (double, dt)) {
  for (int c = 0; c < 3; ++c) q(c, i) = p(c, i) + dt * v(c, i);
}
