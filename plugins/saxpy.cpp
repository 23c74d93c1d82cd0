// SPDX-License-Identifier: Apache-2.0
// sample_local in single precision: y is read and written.
#include <eagle/body.hpp>

EAGLE_PLUGIN(saxpy, (eagle::Scalar<float>, y), (eagle::Scalar<const float>, x), (float, a)) { y[i] = a * x[i] + y[i]; }
