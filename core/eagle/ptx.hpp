// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace eagle {
struct Image;
}

namespace eagle::detail {

/// Whether the first directive of a text is PTX's .version.
bool is_ptx(std::string_view file) noexcept;

/// Fills the image from PTX, of which the driver and this function read what stands before the first zero byte. One pass.
/// Throws Defect.
void read_ptx(std::string_view file, Image& image);

}  // namespace eagle::detail
