// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core: the files that a bundle names. None may lie outside it.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include <eagle/error.hpp>
#include <eagle/file.hpp>
#include <eagle/reader.hpp>

namespace eagle::detail {

/// Whether a path can be one of a bundle's files by its text alone: relative, and without "..". A finding "path" if not.
bool is_inside(const Reader& place, std::string_view key, std::string_view path);

/// A file of a bundle, open.
struct BundleFile {
  Descriptor descriptor;
  std::filesystem::path path;  ///< absolute, links followed
};

/// Where an open file lies, links followed. Error(bundle) where that is outside of `folder`, which is named without links;
/// Error(io) where /proc is missing. `called` is what they call the file.
std::filesystem::path place_inside(const std::filesystem::path& folder, const Descriptor& file, const std::string& called);

/// Opens the regular file that `path`, absolute or relative to the folder `root`, leads to. What was opened is what is looked
/// at, so that a link which changes meanwhile leads nowhere else. Error(bundle) where it lies outside of the folder,
/// Error(not_found) or Error(io) where it cannot be opened; `called` is what they call it.
BundleFile open_inside(const std::filesystem::path& root, const std::filesystem::path& path, const std::string& called);

/// The same of what a bundle names, with a finding "path" or "not-found" in the place of an Error.
std::optional<BundleFile> open_named(const Reader& place, std::string_view key, const std::filesystem::path& root,
                                     std::string_view path);

/// The code of a finding about a file that open_inside() or read_file() refuses: "path", "not-found" or "unreadable".
std::string_view finding_code(Code code) noexcept;

}  // namespace eagle::detail
