// SPDX-License-Identifier: Apache-2.0
// sample_local with an output of its own length: two elements a sample.
#include <eagle/body.hpp>

EAGLE_PLUGIN(emit, (eagle::Scalar<double>, pairs), (eagle::Scalar<const double>, x)) {
  const std::uint64_t first = 2 * std::uint64_t{i};
  pairs[first] = x[i];
  pairs[first + 1] = -x[i];
}
