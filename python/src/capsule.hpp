// SPDX-License-Identifier: Apache-2.0
// How eagle._core and eagle._mpi, built together, hand structures, and what gathers between devices, to each other.
#pragma once

#include <pybind11/pybind11.h>

#include <utility>

#include <eagle/peers.hpp>

namespace eagle::python {

/// The name holds the version, so that halves of different builds refuse each other.
template <class T>
inline constexpr const char* capsule_name = nullptr;
template <>
inline constexpr const char* capsule_name<StructurePtr> = "eagle.structure " EAGLE_VERSION;
template <>
inline constexpr const char* capsule_name<detail::GathererPtr> = "eagle.gatherer " EAGLE_VERSION;

template <class T>
pybind11::capsule capsule_of(T pointer) {
  return pybind11::capsule(new T(std::move(pointer)), capsule_name<T>, [](void* held) { delete static_cast<T*>(held); });
}

template <class T>
const T& held_by(const pybind11::capsule& capsule) {
  auto* const held = static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), capsule_name<T>));
  if (held == nullptr) throw pybind11::error_already_set();
  return *held;
}

inline const StructurePtr& structure_of(const pybind11::capsule& capsule) { return held_by<StructurePtr>(capsule); }

}  // namespace eagle::python
