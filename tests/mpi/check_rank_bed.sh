#!/bin/sh
# The two-rank bed: the C++ tests and the Python scripts on two ranks. Run through scripts/shell after scripts/build.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd -P)
build=${EAGLE_BUILD_DIR:-$top/build}
export OMP_NUM_THREADS=1 EAGLE_BUNDLES="$build/bundles"
on_two() {
  # The exit code of mpiexec is not to be trusted: the last line is.
  [ "$(mpiexec -n 2 "$@" | tail -n 1)" = "ranks: ok" ] || { echo "rank bed: failed: $*" >&2; exit 1; }
}
on_two "$build/bin/ranks_test" --gtest_brief=1
for script in identity refusals; do on_two python3 "$top/python/tests/mpi/$script.py"; done
echo "rank bed: ok"
