// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace eagle::detail {

/// The fatbin of eagle's own kernels (kernels.hpp), a part of the library; empty where it was built without nvcc.
std::span<const std::byte> kernels_image() noexcept;

}  // namespace eagle::detail
