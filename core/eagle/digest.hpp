// SPDX-License-Identifier: Apache-2.0
// Private to eagle::core: what tells one plugin from another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eagle::detail {

/// SHA-256 (FIPS 180-4) of texts one after another, in 64 hexadecimal digits.
std::string sha256(const std::vector<std::string_view>& texts);

/// The same of bytes in memory.
std::string sha256_of(const void* bytes, std::size_t count);

/// FNV-1a of 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/).
std::uint64_t fnv1a(std::string_view text) noexcept;

}  // namespace eagle::detail
