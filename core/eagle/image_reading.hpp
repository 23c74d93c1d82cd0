// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core: an artifact that is open already.
#pragma once

#include <filesystem>

#include <eagle/file.hpp>
#include <eagle/image.hpp>

namespace eagle::detail {

/// read_image() of an open file, called `path`, which is absolute.
Image read_image(const Descriptor& file, const std::filesystem::path& path);

}  // namespace eagle::detail
