// SPDX-License-Identifier: Apache-2.0
// sample_local, and the body itself ends a sample: at zero it sets terminated.
#include <eagle/body.hpp>

EAGLE_PLUGIN(countdown, (eagle::Scalar<std::int64_t>, left), (eagle::Scalar<std::uint8_t>, done)) {
  if (done[i]) return;
  left[i] -= 1;
  if (left[i] == 0) done[i] = 1;
}
