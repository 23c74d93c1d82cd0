// SPDX-License-Identifier: Apache-2.0
// mapreduce sum that reads no plane: the sum of the sample indices.
#include <eagle/body.hpp>

EAGLE_PLUGIN(sum_index, (eagle::Scalar<std::int64_t>, total)) { total[i] = static_cast<std::int64_t>(i); }
