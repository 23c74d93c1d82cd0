// SPDX-License-Identifier: Apache-2.0
// mapreduce sum in single precision: sum |x|.
#include <eagle/body.hpp>

EAGLE_PLUGIN(asumf, (eagle::Scalar<float>, total), (eagle::Scalar<const float>, x)) { total[i] = x[i] < 0 ? -x[i] : x[i]; }
