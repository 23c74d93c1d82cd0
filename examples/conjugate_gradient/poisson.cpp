// SPDX-License-Identifier: Apache-2.0
#include "poisson.hpp"

namespace example {

Csr poisson(const Grid& grid, const eagle::Partition& rows) {
  const auto [nx, ny, nz] = grid;
  Csr a{rows};
  for (std::int64_t i = rows.base; i < rows.end(); ++i) {
    const std::int64_t x = i % nx, y = i / nx % ny, z = i / (nx * ny);
    if (z > 0) a.add(i - nx * ny, -1);
    if (y > 0) a.add(i - nx, -1);
    if (x > 0) a.add(i - 1, -1);
    a.add(i, 6);
    if (x + 1 < nx) a.add(i + 1, -1);
    if (y + 1 < ny) a.add(i + nx, -1);
    if (z + 1 < nz) a.add(i + nx * ny, -1);
    a.end_row();
  }
  return a;
}

}  // namespace example
