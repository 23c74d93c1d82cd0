// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core: files as bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace eagle::detail {

/// All bytes of a regular file, which is never waited for. Error(not_found) where there is none; Error(io) where it cannot
/// be read, is no regular file, or has more than `most` bytes.
std::string read_file(const std::filesystem::path& path, std::uint64_t most);

}  // namespace eagle::detail
