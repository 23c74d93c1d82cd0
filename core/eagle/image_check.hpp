// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <eagle/declaration.hpp>
#include <eagle/finding.hpp>
#include <eagle/image.hpp>

namespace eagle {

/// What check_image found, and what it looked at.
struct ImageCheck {
  Image image;
  Findings findings;
};

/// Compares the artifact that a plugin ships for a target with its declaration before any of its code runs: format,
/// completeness, machine, entry symbol, eagle_abi_tag and eagle_layout_sizes. A v1 artifact may lack the last two; where
/// they are there they must be right. Of a fatbin only format and length are checked, the driver checks the rest. No
/// findings: the artifact may be opened. Never throws for what is wrong with the file. Codes of findings: target, not-found,
/// unreadable, format, truncated, malformed, machine, missing-symbol, abi-tag, layout.
ImageCheck check_image(const Declaration& declaration, Target target);

}  // namespace eagle
