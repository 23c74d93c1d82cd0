// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "csr.hpp"

namespace example {

/// A whole symmetric matrix from a Matrix Market file: `coordinate`, `real` or `integer`, `symmetric` or `general`.
/// eagle::Error, naming file, line and what is wrong: not found, not this format, malformed or truncated, not square, more
/// than 2^31 - 1 rows or entries, an index out of range, an entry given twice, a value not finite, not symmetric.
Csr read_matrix_market(const std::filesystem::path& path);

}  // namespace example
