// SPDX-License-Identifier: Apache-2.0
// mapreduce max.
#include <eagle/body.hpp>

EAGLE_PLUGIN(maximum, (eagle::Scalar<double>, largest), (eagle::Scalar<const double>, x)) { largest[i] = x[i]; }
