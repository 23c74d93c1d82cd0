// SPDX-License-Identifier: Apache-2.0
// mapreduce sum.
#include <eagle/body.hpp>

EAGLE_PLUGIN(dot, (eagle::Scalar<double>, total), (eagle::Scalar<const double>, x), (eagle::Scalar<const double>, y)) {
  total[i] = x[i] * y[i];
}
