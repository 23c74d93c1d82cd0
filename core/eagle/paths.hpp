// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core: the files that a bundle names. None may lie outside it.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include <eagle/reader.hpp>

namespace eagle::detail {

/// Whether a path can be one of a bundle's files by its text alone: relative, and without "..". A finding "path" if not.
bool is_inside(const Reader& place, std::string_view key, std::string_view path);

/// The regular file that a bundle's `path` leads to, absolute and with links followed. `root` is the bundle's folder, absolute
/// and with links followed. Nothing, and a finding "not-found" or "path", where there is none or it lies outside.
std::optional<std::filesystem::path> resolve(const Reader& place, std::string_view key, const std::filesystem::path& root,
                                             std::string_view path);

}  // namespace eagle::detail
