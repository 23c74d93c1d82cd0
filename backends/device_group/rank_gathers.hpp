// SPDX-License-Identifier: Apache-2.0
// What others know of NCCL among ranks, without a word of it.
#pragma once

#include <eagle/peers.hpp>

namespace eagle::detail {

/// Gathers of ranks with one CUDA device each; null where this eagle has no NCCL.
GathererPtr nccl_gatherer();

}  // namespace eagle::detail
