// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report.hpp"

namespace bench {

/// Runs what has been registered, with Google Benchmark's options; gives the exit code, 1 where a benchmark failed. Of several
/// processes one reports: the others print and write nothing.
int run(int argc, char** argv, const Facts& facts, bool reports = true);

}  // namespace bench
