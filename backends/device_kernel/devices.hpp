// SPDX-License-Identifier: Apache-2.0
// What the umbrella knows of eagle::cuda, without a word of CUDA.
#pragma once

#include <string>

#include <eagle/array.hpp>

namespace eagle::detail {

/// All devices of the driver, for people. Error(unavailable) without a driver or a device.
std::string devices_text();
/// Where an address lies. Error(unavailable) without a driver.
Device device_of(const void* address);

}  // namespace eagle::detail
