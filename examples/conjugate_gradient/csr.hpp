// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <eagle/partition.hpp>

namespace example {

/// Rows [rows.base, rows.end()) of a square sparse matrix of rows.n_samples rows. The entries of row rows.base + k are
/// [start[k], start[k + 1]), in ascending order of their columns, which are those of the whole matrix.
struct Csr {
  eagle::Partition rows;
  std::vector<std::int64_t> start{0};
  std::vector<std::int64_t> column{};
  std::vector<double> value{};

  void add(std::int64_t c, double v) {
    column.push_back(c);
    value.push_back(v);
  }
  void end_row() { start.push_back(static_cast<std::int64_t>(column.size())); }
};

}  // namespace example
