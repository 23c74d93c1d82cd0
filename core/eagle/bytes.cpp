// SPDX-License-Identifier: Apache-2.0
#include <eagle/bytes.hpp>

#include <bit>
#include <cstring>

#include <eagle/abi.h>
#include <eagle/image.hpp>
#include <fmt/format.h>

namespace eagle::detail {
namespace {

static_assert(std::endian::native == std::endian::little, "artifacts are little-endian and read as they lie");

constexpr std::string_view tag_symbol = "eagle_abi_tag";
constexpr std::string_view layout_symbol = "eagle_layout_sizes";

}  // namespace

std::string_view part(std::string_view bytes, std::uint64_t offset, std::uint64_t size, std::string_view what) {
  if (offset > bytes.size() || size > bytes.size() - offset)
    throw Defect{"truncated", fmt::format("{} would take {} bytes at {}, and there are {}: the file is cut off or damaged, "
                                          "build or copy it again",
                                          what, size, offset, bytes.size())};
  return bytes.substr(offset, size);
}

bool lacks_export(const Image& image, std::string_view symbol) noexcept {
  return (symbol == tag_symbol && !image.abi_tag) || (symbol == layout_symbol && !image.layout_words);
}

void take_function(Image& image, std::string_view name) {
  constexpr std::size_t most = std::size_t{1} << 20;
  if (image.functions.size() == most)
    throw Defect{"malformed", fmt::format("the file has more than {} functions: make several artifacts", most)};
  image.functions.emplace_back(name);
}

void take_export(Image& image, std::string_view symbol, std::string_view bytes) {
  if (symbol == tag_symbol) {
    constexpr std::size_t longest = 256;
    const std::string_view text = bytes.substr(0, longest);
    image.abi_tag = text.substr(0, text.find('\0'));
    return;
  }
  auto& words = image.layout_words.emplace();
  static_assert(sizeof(words) == EAGLE_LAYOUT_WORDS * sizeof(std::uint64_t));
  if (bytes.size() < sizeof(words))
    throw Defect{"layout", fmt::format("{} has {} bytes: {} are needed, {} words of 64 bits", symbol, bytes.size(),
                                       sizeof(words), words.size())};
  std::memcpy(words.data(), bytes.data(), sizeof(words));
}

}  // namespace eagle::detail
