// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace eagle::detail {

/// Runs a kernel of kernels.hpp on the CPU, thread block after thread block of a grid of so many: the bodies that nvcc compiles
/// for devices, with loops in the place of threads. params are cuLaunchKernel's kernelParams. False: there is no such kernel.
bool run_on_host(std::string_view kernel, void* const* params, unsigned grid = 1);

/// How many threads a thread block of the kernel has; 0: there is no such kernel.
unsigned threads_of(std::string_view kernel);

/// The names of all kernels.
std::vector<std::string_view> kernel_names();

}  // namespace eagle::detail
