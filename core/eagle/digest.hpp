// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core: what tells one plugin from another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eagle::detail {

/// SHA-256 (FIPS 180-4), in 64 hexadecimal digits.
std::string sha256_of(const void* bytes, std::size_t count);

/// Tells lists of texts apart, wherever one text ends and the next begins: SHA-256 of the list of theirs, each with a newline,
/// which is what `sha256sum FILE... | cut -c 1-64 | sha256sum` prints.
std::string digest_of(const std::vector<std::string_view>& texts);

/// FNV-1a of 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/).
std::uint64_t fnv1a(std::string_view text) noexcept;

}  // namespace eagle::detail
