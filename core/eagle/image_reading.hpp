// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core: an artifact that is open already, and its bytes, wherever they come from.
#pragma once

#include <filesystem>
#include <string_view>

#include <eagle/file.hpp>
#include <eagle/image.hpp>

namespace eagle::detail {

/// read_image() of an open file, called `path`, which is absolute.
Image read_image(const Descriptor& file, const std::filesystem::path& path);

/// Fills in what read_image() says of a file's content, a defect included.
void read_content(std::string_view file, Image& image);

}  // namespace eagle::detail
