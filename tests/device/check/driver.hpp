// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <string>

#include "driver_api.hpp"
#include "report.hpp"

namespace device_check {

/// A function of the CUDA driver, found at run time as eagle finds its own. Skipped where the driver has none of that name.
template <class Function>
Function* driver_function(const char* name, Function*) {
  static void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  void* const found = library == nullptr ? nullptr : ::dlsym(library, name);
  if (found == nullptr) throw Skipped(std::string("the driver has no ") + name);
  return reinterpret_cast<Function*>(found);
}

/// Calls a driver function, and gives its result or requires that it succeeds.
#define RESULT(function, ...) ::device_check::driver_function(#function, static_cast<decltype(&function)>(nullptr))(__VA_ARGS__)
#define CALL(function, ...) ::device_check::require(RESULT(function, __VA_ARGS__) == 0, #function " failed")

}  // namespace device_check
