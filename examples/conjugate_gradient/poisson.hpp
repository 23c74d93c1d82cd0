// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "csr.hpp"

namespace example {

using Grid = std::array<std::int64_t, 3>;  ///< points along x, y and z

/// Some rows of the 7-point Laplacian on a grid of points with zero values around it; point (x, y, z) is row (z ny + y) nx + x.
Csr poisson(const Grid& grid, const eagle::Partition& rows);

}  // namespace example
