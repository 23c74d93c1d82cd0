// SPDX-License-Identifier: Apache-2.0
// How eagle._core and eagle._mpi, built together, hand structures to each other.
#pragma once

#include <pybind11/pybind11.h>

#include <utility>

#include <eagle/structure.hpp>

namespace eagle::python {

/// The name holds the version, so that halves of different builds refuse each other.
inline constexpr const char* capsule_name = "eagle.structure " EAGLE_VERSION;

inline pybind11::capsule capsule_of(StructurePtr structure) {
  return pybind11::capsule(new StructurePtr(std::move(structure)), capsule_name,
                           [](void* held) { delete static_cast<StructurePtr*>(held); });
}

inline const StructurePtr& structure_of(const pybind11::capsule& capsule) {
  auto* const held = static_cast<StructurePtr*>(PyCapsule_GetPointer(capsule.ptr(), capsule_name));
  if (held == nullptr) throw pybind11::error_already_set();
  return *held;
}

}  // namespace eagle::python
