// SPDX-License-Identifier: Apache-2.0
// A body that ends samples and counts those that it has ended.
#include <eagle/body.hpp>

EAGLE_PLUGIN(retire, (eagle::Scalar<std::int64_t>, left), (eagle::Scalar<std::uint32_t>, finished_count),
             (eagle::Scalar<std::uint8_t>, done)) {
  if (done[i]) return;
  left[i] -= 1;
  if (left[i] > 0) return;
  done[i] = 1;
  eagle::add(finished_count[0], 1U);
}
