// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace eagle {
struct Image;
}

namespace eagle::detail {

/// Thrown while an image is read, where its content cannot be made sense of; becomes the image's `defect`.
struct Defect {
  std::string code;  ///< "truncated", "malformed" or "layout"
  std::string message;
};

/// bytes[offset, offset + size). Defect(truncated), naming `what`, unless all of it is there.
std::string_view part(std::string_view bytes, std::uint64_t offset, std::uint64_t size, std::string_view what);

/// The little-endian value at an offset, which need not be aligned.
template <class T>
T load(std::string_view bytes, std::uint64_t offset, std::string_view what) {
  T value{};
  part(bytes, offset, sizeof(T), what).copy(reinterpret_cast<char*>(&value), sizeof(T));
  return value;
}

/// Whether `symbol` is one of the data symbols that an artifact exports for eagle, and the image does not have it yet: of
/// several the first counts.
bool lacks_export(const Image& image, std::string_view symbol) noexcept;

/// Keeps the name of a function in the image. Defect(malformed) of more than a million.
void take_function(Image& image, std::string_view name);

/// Keeps the bytes of an export in the image. Defect(layout) for a layout of fewer than five words.
void take_export(Image& image, std::string_view symbol, std::string_view bytes);

}  // namespace eagle::detail
