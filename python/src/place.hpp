// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <eagle/structure.hpp>
#include <eagle/structures.hpp>

namespace eagle::python {

/// Where a plan runs, as far as arrays of other libraries are concerned.
struct Place {
  const Memory* memory = nullptr;  ///< of the devices; null where the host runs it

  /// Where arrays lie whose device is not told.
  [[nodiscard]] Device device() const { return memory == nullptr ? Device() : memory->device(); }
  /// In whose order the plan uses an array of a device, or of memory that all share; nothing where it does not reach it.
  [[nodiscard]] std::optional<DeviceStream> stream(const Device& of) const {
    if (memory == nullptr) return std::nullopt;
    return memory->stream(of.type == Device::cuda ? of.id : memory->device().id);
  }
};

/// Opens a device structure's devices, without the GIL. Error(unavailable), naming the plugin, where it finds none.
Place place_of(const Structure& structure, const std::string& plugin);

/// Has the plan use an array after what a stream of its producer has been given till now: a plan on a device by the order of
/// streams, and the host, of memory that it reads itself, by waiting. Does nothing for arrays that the plan does not reach.
/// Errors read on from "argument 'x' ...".
void order_after(const ArrayView& array, void* producer, const Place& place);

/// A view of host memory with the place that CUDA knows of it, pinned or managed, where that counts.
void recognise(ArrayView& array, const Place& place);

/// A stream in the numbers of __dlpack__ and __cuda_array_interface__, which have 1 for the legacy default stream.
std::uintptr_t number_of(void* stream);

}  // namespace eagle::python
