// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core: one sidecar as a part of its bundle.
#pragma once

#include <string>
#include <string_view>

#include <eagle/axis.hpp>
#include <eagle/declaration.hpp>
#include <eagle/reader.hpp>

namespace eagle::detail {

/// The patterns that a manifest or sidecar may have; neural_block is the one that cannot be launched.
constexpr std::string_view patterns[] = {"pure", "vector", "neural_block"};

/// Checks a sidecar. With a manifest's axis it must also agree with that and be launchable. Fills what the sidecar says into
/// `plugin`, which is complete only where there are no findings. Returns host_artifact, empty where it has none.
std::string read_sidecar(const json::Value& sidecar, Report& report, const Axis* manifest, Declaration& plugin);

/// Notes that something valid cannot be run: "<what> is recognized but not launchable".
void refuse_launch(const Reader& file, std::string_view key, std::string_view what);

}  // namespace eagle::detail
