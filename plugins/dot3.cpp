// SPDX-License-Identifier: Apache-2.0
// mapreduce sum over planes of vectors.
#include <eagle/body.hpp>

EAGLE_PLUGIN(dot3, (eagle::Scalar<double>, total), (eagle::Plane<const double[3]>, p), (eagle::Plane<const double[3]>, v)) {
  total[i] = p(0, i) * v(0, i) + p(1, i) * v(1, i) + p(2, i) * v(2, i);
}
