# SPDX-License-Identifier: Apache-2.0
# Sourced by check.sh: what is on this machine.

# The first of the words that is a program.
first_program() {
  for program; do
    [ -z "$program" ] || ! command -v "$program" > /dev/null || { command -v "$program"; return; }
  done
}
smi() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2> /dev/null | head -n 1; }

find_tools() {
  nvcc=$(first_program "${CUDACXX:-}" nvcc "${CUDA_HOME:-}/bin/nvcc" /usr/local/cuda/bin/nvcc /usr/local/cuda-*/bin/nvcc)
  cxx=$(first_program "${CXX:-}" c++ g++ clang++)
  python=$(first_program python3 python)
  [ -z "$nvcc" ] || export CUDACXX="$nvcc"
  export CXX="$cxx"
  generator="Unix Makefiles"
  [ -z "$(first_program ninja)" ] || generator=Ninja
  gpu=$(smi name)
  [ -n "$gpu" ] || [ ! -e /dev/nvidia0 ] || gpu="one that nvidia-smi does not name"
  arch=$(smi compute_cap | tr -d .)
  arch=${arch:-90}
}

version_of() { "$python" -c "import $1; print($1.__version__)" 2> /dev/null || echo no; }

print_machine() {
  line eagle "$(git -C "$top" describe --always --dirty 2> /dev/null || echo 'a tree without git')"
  line machine "$(uname -srm), $(nproc) cores, $(awk '/MemTotal/ { print int($2 / 1048576) " GiB" }' /proc/meminfo)"
  line gpu "${gpu:-none}, $(smi compute_cap,memory.total,driver_version)"
  line nvcc "${nvcc:-none} $([ -z "$nvcc" ] || "$nvcc" --version | sed -n 's/.*release //p')"
  line tools "$(cmake --version 2> /dev/null | head -n 1), $generator, $("${cxx:-c++}" --version 2> /dev/null | head -n 1)"
  [ -z "$python" ] || line python "$("$python" --version 2>&1), numpy $(version_of numpy), cupy $(version_of cupy), torch $(version_of torch)"
  for tool in nvcc cmake "${cxx:-c++}" timeout; do
    [ "$tool" = nvcc ] && [ -n "$nvcc" ] && continue
    command -v "$tool" > /dev/null || { fail "$tool was not found: a CUDA toolkit, CMake 3.25 and a C++20 compiler are needed"; finish; }
  done
}

# What eagle stands on, in one message.
find_packages() {
  step probe 60 cmake -G "$generator" -S "$here/probe" -B "$build/probe" || finish
  packages=$(sed -n 's/^-- \(found .*\|missing .*\)/\1/p' "$build/probe.log")
  line packages "$(echo "$packages" | sed -n 's/^found //p' | paste -sd, | sed 's/,/, /g')"
  missing=$(echo "$packages" | sed -n 's/^missing \(fmt\|RapidJSON\|OpenSSL\)$/\1/p' | paste -sd' ')
  fetched=
  case "${EAGLE_CMAKE_OPTIONS:-}" in *EAGLE_FETCH_DEPS=ON*) fetched="fmt RapidJSON" ;; esac
  for name in $fetched; do missing=$(echo "$missing" | sed "s/$name *//"); done
  [ -n "$missing" ] || return 0
  fail "CMake finds no $missing: install them (Debian: libfmt-dev rapidjson-dev libssl-dev), name the folders that they lie in in
         CMAKE_PREFIX_PATH, or set EAGLE_CMAKE_OPTIONS=-DEAGLE_FETCH_DEPS=ON, which fetches fmt and RapidJSON"
  finish
}
