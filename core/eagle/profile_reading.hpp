// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core: a profile as text.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <eagle/profile.hpp>

namespace eagle::detail {

/// What read_profile() makes of the text of `file`, which is only named.
Profile profile_of(std::string_view text, const std::filesystem::path& file);

/// What write_profile() writes.
std::string text_of(const Profile& profile);

}  // namespace eagle::detail
