#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What needs a GPU, on a machine that has one: builds eagle's CUDA backend from this tree with the nvcc, CMake and Python that
# are there, checks it and measures it, in under four minutes. What it prints is meant to be kept:
#
#     tests/device/check.sh > docs/device/GPU.txt
#
#   CUDACXX, CXX          nvcc and the C++ compiler, if not the ones that are found
#   CMAKE_PREFIX_PATH     where fmt, RapidJSON and OpenSSL lie, if not where CMake looks
#   EAGLE_DEVICE_DEPS     a folder of sources, fmt/, rapidjson/ and for Python CLI11/, to build without a network (build/deps)
#   EAGLE_CMAKE_OPTIONS   more options of CMake's: -DEAGLE_FETCH_DEPS=ON fetches the first two
#   EAGLE_DEVICE_BUILD    the build folder (build/device)
#   EAGLE_DEVICE_SECONDS  the time that it may take (230)
#
# Without a GPU it checks small sizes with whatever driver is found, such as the stand-in, and measures nothing.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd -P)
here=$top/tests/device
build=${EAGLE_DEVICE_BUILD:-$top/build/device}
deps=${EAGLE_DEVICE_DEPS:-$top/build/deps}
end=$(($(date +%s) + ${EAGLE_DEVICE_SECONDS:-230}))
failed=
mkdir -p "$build" || exit 1
build=$(cd "$build" && pwd -P)
[ ! -d "$deps" ] || deps=$(cd "$deps" && pwd -P)

line() { printf '%-8s %s\n' "$@"; }
fail() { line FAILED "$1"; failed=yes; }
finish() {
  line time "$((${EAGLE_DEVICE_SECONDS:-230} - end + $(date +%s))) s"
  echo "device: $([ -z "$failed" ] && echo ok || echo FAILED)"
  [ -z "$failed" ]
  exit
}
left() { echo $((end - $(date +%s))); }
# within SECONDS COMMAND...: under a time limit, that of the whole script included.
within() {
  limit=$1 && shift
  [ "$limit" -lt "$(left)" ] || limit=$(left)
  [ "$limit" -gt 0 ] && timeout -k 5 "$limit" "$@"
}
# step NAME SECONDS COMMAND...: the same, quietly; fails with what was said.
step() {
  name=$1 && shift
  within "$@" > "$build/$name.log" 2>&1 && return
  code=$?
  [ $code != 124 ] || echo "stopped: its time was over" >> "$build/$name.log"
  fail "$name (exit code $code, $build/$name.log):"
  tail -n 15 "$build/$name.log" | sed 's/^/           /'
  return 1
}

. "$here/check_machine.sh"
. "$here/check_steps.sh"

find_tools
print_machine
find_packages
build_checks || finish
start build_bench
start build_python
check_correctness
check_speed
check_python
check_sanitizers
finish
