// SPDX-License-Identifier: Apache-2.0
#include "place.hpp"

#include <eagle/error.hpp>
#include <eagle/of_plugin.hpp>
#include <fmt/format.h>

#include "gil.hpp"

namespace eagle::python {

Place place_of(const Structure& structure, const std::string& plugin) {
  if (!structure.has_streams()) return {};
  return detail::of_plugin(plugin, [&] {
    const WithoutGil release;
    return Place{&structure.memory()};
  });
}

void order_after(const ArrayView& array, void* producer, const Place& place) {
  const Device& device = array.device;
  const std::optional<DeviceStream> then = place.stream(device);
  if (device.type == Device::cpu || (device.type == Device::cuda && !then)) return;
  const DeviceStream from{device.id, producer};
  try {
    const WithoutGil release;
    if (then && device.type != Device::cuda_host) order_streams(from, *then);
    else wait_for(from);
  } catch (const Error& e) {
    throw Error(e.code(), fmt::format("waits for the stream {:#x}, and {}", number_of(producer), e.what()));
  }
}

void recognise(ArrayView& array, const Place& place) {
  if (place.memory == nullptr || array.device.type != Device::cpu || array.size() == 0) return;
  const Device found = device_of(array.data);
  if (found.type != Device::cuda) array.device = found;
}

std::uintptr_t number_of(void* stream) { return stream == nullptr ? 1 : reinterpret_cast<std::uintptr_t>(stream); }

}  // namespace eagle::python
