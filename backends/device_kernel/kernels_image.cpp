// SPDX-License-Identifier: Apache-2.0
#include "device_kernel/kernels_image.hpp"

#if defined(EAGLE_KERNELS_IMAGE)
// clang-format off
asm(".pushsection .rodata, \"a\", %progbits\n"
    ".balign 64\n"
    ".globl eagle_kernels_begin\n" ".hidden eagle_kernels_begin\n" "eagle_kernels_begin:\n"
    ".incbin \"" EAGLE_KERNELS_IMAGE "\"\n"
    ".globl eagle_kernels_end\n" ".hidden eagle_kernels_end\n" "eagle_kernels_end:\n"
    ".popsection\n");
// clang-format on
extern "C" {
[[gnu::visibility("hidden")]] extern const std::byte eagle_kernels_begin[];
[[gnu::visibility("hidden")]] extern const std::byte eagle_kernels_end[];
}
#endif

namespace eagle::detail {

std::span<const std::byte> kernels_image() noexcept {
#if defined(EAGLE_KERNELS_IMAGE)
  return {eagle_kernels_begin, eagle_kernels_end};
#else
  return {};
#endif
}

}  // namespace eagle::detail
