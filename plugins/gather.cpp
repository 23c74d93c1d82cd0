// SPDX-License-Identifier: Apache-2.0
// cross_sample_read: y = table[k], a table that all samples share.
#include <eagle/body.hpp>

EAGLE_PLUGIN(gather, (eagle::Scalar<double>, y), (eagle::Scalar<const std::int64_t>, k), (eagle::Scalar<const double>, table)) {
  y[i] = table[static_cast<std::uint64_t>(k[i])];
}
