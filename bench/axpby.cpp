// SPDX-License-Identifier: Apache-2.0
// sample_local: y = a x + b y, as BLAS has it.
#include <eagle/body.hpp>

EAGLE_PLUGIN(axpby, (eagle::Scalar<double>, y), (eagle::Scalar<const double>, x), (double, a), (double, b)) {
  y[i] = a * x[i] + b * y[i];
}
