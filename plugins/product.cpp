// SPDX-License-Identifier: Apache-2.0
// mapreduce times; a terminated sample stores nothing and counts as the identity.
#include <eagle/body.hpp>

EAGLE_PLUGIN(product, (eagle::Scalar<double>, total), (eagle::Scalar<const double>, x),
             (eagle::Scalar<const std::uint8_t>, terminated)) {
  if (terminated[i]) return;
  total[i] = x[i];
}
