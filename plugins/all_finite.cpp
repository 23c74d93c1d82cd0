// SPDX-License-Identifier: Apache-2.0
// mapreduce land: 1 if no x is infinite or NaN.
#include <eagle/body.hpp>

EAGLE_PLUGIN(all_finite, (eagle::Scalar<std::int64_t>, finite), (eagle::Scalar<const double>, x)) {
  finite[i] = x[i] - x[i] == 0;
}
