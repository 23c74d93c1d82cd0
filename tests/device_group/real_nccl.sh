#!/bin/sh
# The real NCCL: its header beside eagle's table, its library asked for a version and a unique id. Needs no GPU and is no part
# of scripts/test: it fetches PyPI's nvidia-nccl-cu13 (300 MB).
# usage: scripts/shell tests/device_group/real_nccl.sh FOLDER   (an empty folder, kept)
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd -P)
folder=$1
nvcc=$(sed -n 's/^EAGLE_NVCC:[^=]*=//p' "$top/build/CMakeCache.txt")
[ -x "$nvcc" ] || { echo "nvcc was not found when build/ was configured: its headers are needed" >&2; exit 1; }
cuda=$(cd "$(dirname "$(readlink -f "$nvcc")")/.." && pwd)
python3 -m pip install --quiet --no-deps --disable-pip-version-check --target "$folder" nvidia-nccl-cu13
nccl=$folder/nvidia/nccl
"${CXX:-g++-14}" -std=c++20 -I "$nccl/include" -I "$cuda/include" -I "$top/backends" -I "$top/core" \
  "$top/tests/device_group/real_nccl.cpp" "$nccl/lib/libnccl.so.2" "-Wl,-rpath,$nccl/lib" -o "$folder/real_nccl"
"$folder/real_nccl"
