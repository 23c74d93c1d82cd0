// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include <eagle/finding.hpp>

namespace eagle {

/// Everything that is wrong with one sidecar, read on its own. It may be valid and still not be launchable (a neural_block,
/// softdouble, one without aether_abi): that is for read_bundle() to say. A schema version that is too new is the only
/// finding. Error(not_found), Error(io) where the file cannot be read.
Findings validate_sidecar(const std::filesystem::path& sidecar);

}  // namespace eagle
