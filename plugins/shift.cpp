// SPDX-License-Identifier: Apache-2.0
// cross_sample_read of a neighbour, around the end of the run: nsamples.
#include <eagle/body.hpp>

EAGLE_PLUGIN(shift, (eagle::Scalar<double>, y), (eagle::Scalar<const double>, x), (eagle::Index, n)) {
  y[i] = x[(i + 1) % n] - x[i];
}
