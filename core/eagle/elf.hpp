// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace eagle {
struct Image;
}

namespace eagle::detail {

/// Whether a file begins as an ELF file does.
bool is_elf(std::string_view file) noexcept;

/// Fills the image from an ELF file, host library or cubin. Of a file that is not 64-bit little-endian only kind, class,
/// byte order, type and machine. Work is bounded by a small multiple of the file's size. Throws Defect.
void read_elf(std::string_view file, Image& image);

}  // namespace eagle::detail
