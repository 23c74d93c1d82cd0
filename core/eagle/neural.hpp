// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core: neural_block descriptors, which are recognised and validated, and cannot be launched.
#pragma once

#include <set>
#include <string>

#include <eagle/reader.hpp>

namespace eagle::detail {

/// Checks a descriptor: a sidecar of pattern neural_block, or an entry of a manifest's blocks[].
void check_neural_block(const Reader& block);

/// Findings where forward_exec or vjp_exec of a manifest's block names a kernel that is no plugin's id.
void check_neural_kernels(const Reader& block, const std::set<std::string>& ids);

}  // namespace eagle::detail
