// SPDX-License-Identifier: Apache-2.0
// mapreduce sum whose partial costs more than the addition: sqrt(x) * y.
#include <cmath>
#include <eagle/body.hpp>

EAGLE_PLUGIN(root_dot, (eagle::Scalar<double>, total), (eagle::Scalar<const double>, x), (eagle::Scalar<const double>, y)) {
  total[i] = sqrt(x[i]) * y[i];
}
