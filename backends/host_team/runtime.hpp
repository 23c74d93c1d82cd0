// SPDX-License-Identifier: Apache-2.0
// Private to eagle::host: eagle's manners towards the process-wide Kokkos runtime.
#pragma once

#include <string>

namespace eagle::detail {

/// Makes sure that a kernel can be launched from here. Starts Kokkos, quietly, if nobody has, and then ends it when the
/// process ends. Error(unavailable) where Kokkos would abort: after Kokkos::finalize, or inside a parallel region.
void require_kokkos();

/// The same for templates that take the caller's execution space, which Kokkos must be running for already.
void require_launch();

/// "Kokkos 5.2.2 with OpenMP, 2 threads". Starts nothing.
std::string kokkos_text();

}  // namespace eagle::detail
