// SPDX-License-Identifier: Apache-2.0
#include <eagle/image_reading.hpp>

#include "fuzz.hpp"

/// ELF libraries, cubins, fatbins and PTX. FUZZ_PREFIX makes a target of one kind.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string file = FUZZ_PREFIX;
  file += fuzz::text_of(data, size);
  eagle::Image image;
  image.path = "/artifact";
  eagle::detail::read_content(file, image);
  std::size_t names = 0;
  for (const std::string& each : image.functions) names += each.size() + 1;
  fuzz::require(names <= file.size(), "the names of an image are no longer than its file");
  fuzz::require(!image.abi_tag || image.abi_tag->size() <= 256, "a tag is short");
  fuzz::require(image.bits == 0 || image.bits == 32 || image.bits == 64, "an address has 32 or 64 bits",
                std::to_string(image.bits));
  if (image.defect) fuzz::check_findings({*image.defect}, size);
  return 0;
}
