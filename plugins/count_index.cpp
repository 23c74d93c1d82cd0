// SPDX-License-Identifier: Apache-2.0
// cross_sample_write that reads no plane: counts the sample indices by their remainder of 3.
#include <eagle/body.hpp>

EAGLE_PLUGIN(count_index, (eagle::Scalar<std::int64_t>, counts)) { eagle::add(counts[i % 3], 1); }
