// SPDX-License-Identifier: Apache-2.0
// What the umbrella knows of eagle::cuda, without a word of CUDA.
#pragma once

#include <string>

#include <eagle/memory.hpp>

namespace eagle::detail {

/// How many devices the driver has; 0 without a driver.
int device_count();

/// All devices of the driver, for people. Error(unavailable) without a driver or a device.
std::string devices_text();
std::string device_name(int device);
/// Where an address lies. Error(unavailable) without a driver.
Device device_of(const void* address);
/// <eagle/structures.hpp>
void order_streams(const DeviceStream& first, const DeviceStream& then);
void wait_for(const DeviceStream& stream);

}  // namespace eagle::detail
