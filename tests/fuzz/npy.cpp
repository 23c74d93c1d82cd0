// SPDX-License-Identifier: Apache-2.0
#include "npy.hpp"

#include "fuzz.hpp"

namespace npy = eagle::npy;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::accepts([&] {
    const npy::Content content = npy::content_of("x.npy", fuzz::text_of(data, size), size);
    const eagle::ArrayView& array = content.array;
    fuzz::require(content.start + static_cast<std::size_t>(array.bytes()) == size, "the data is what follows the header");
    for (std::size_t k = 0; k < array.shape.size(); ++k)
      fuzz::require(array.size() == 0 || (array.shape[k] - 1) * array.strides[k] < array.size(), "no stride leaves the data");
    const bool fortran = !array.is_contiguous();
    std::string again = npy::header_of(array, fortran);
    fuzz::require(again.size() % 64 == 0, "data is aligned");
    again += fuzz::text_of(data, size).substr(content.start);
    const eagle::ArrayView same = npy::content_of("x.npy", again, again.size()).array;
    fuzz::require(same.dtype == array.dtype && same.shape == array.shape, "what is written reads back", again);
    fuzz::require(array.size() <= 1 || same.strides == array.strides || fortran == false, "and lies as it did", again);
  });
  return 0;
}
