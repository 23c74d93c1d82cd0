# SPDX-License-Identifier: Apache-2.0
# Sourced by check.sh: what is on this machine.

# The first of the words that is a program.
first_program() {
  for program; do
    [ -z "$program" ] || ! command -v "$program" > /dev/null || { command -v "$program"; return; }
  done
}
# What nvidia-smi says of the first GPU; its complaints go to the standard output too.
smi() { said=$(nvidia-smi --query-gpu="$1" --format=csv,noheader 2> /dev/null) && echo "$said" | head -n 1; }

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
  arch=$(smi compute_cap | tr -d . | grep -x '[0-9][0-9]*')
  arch=${arch:-90}
}

version_of() { "$python" -c "import $1; print($1.__version__)" 2> /dev/null || echo no; }

print_machine() {
  line eagle "$(git -C "$top" describe --always --dirty 2> /dev/null || echo 'a tree without git')"
  line machine "$(uname -srm), $(nproc) cores, $(awk '/MemTotal/ { print int($2 / 1048576) " GiB" }' /proc/meminfo)"
  line gpu "${gpu:-none}, $(smi compute_cap,memory.total,driver_version)"
  line nvcc "${nvcc:-none} $([ -z "$nvcc" ] || "$nvcc" --version | sed -n 's/.*release //p')"
  line tools "$(cmake --version 2> /dev/null | head -n 1), $generator, $("${cxx:-c++}" --version 2> /dev/null | head -n 1)"
  [ -z "$python" ] ||
    line python "$("$python" --version 2>&1), numpy $(version_of numpy), cupy $(version_of cupy), torch $(version_of torch)"
  for tool in nvcc cmake "${cxx:-c++}" timeout; do
    [ "$tool" = nvcc ] && [ -n "$nvcc" ] && continue
    command -v "$tool" > /dev/null && continue
    fail "$tool was not found: a CUDA toolkit (CUDACXX names its nvcc), CMake 3.25 and a C++20 compiler (CXX) are needed"
    finish
  done
}

# What eagle stands on, in one message.
find_packages() {
  step probe 60 cmake -G "$generator" -S "$here/probe" -B "$build/probe" || finish
  packages=$(sed -n 's/^-- \(found .*\|missing .*\)/\1/p' "$build/probe.log")
  line packages "$(echo "$packages" | sed -n 's/^found //p' | paste -sd, | sed 's/,/, /g')"
  options=${EAGLE_CMAKE_OPTIONS:-}
  if [ -d "$deps/fmt" ] && [ -d "$deps/rapidjson" ]; then
    options="$options -DEAGLE_FETCH_DEPS=ON -DFETCHCONTENT_SOURCE_DIR_FMT=$deps/fmt"
    options="$options -DFETCHCONTENT_SOURCE_DIR_RAPIDJSON=$deps/rapidjson -DEAGLE_RAPIDJSON_INCLUDE_DIR=$deps/rapidjson/include"
    [ ! -d "$deps/CLI11" ] || options="$options -DFETCHCONTENT_SOURCE_DIR_CLI11=$deps/CLI11"
  fi
  missing=$(echo "$packages" | sed -n 's/^missing \(fmt\|RapidJSON\|OpenSSL\)$/\1/p' | paste -sd' ')
  fetched=
  case "$options" in *EAGLE_FETCH_DEPS=ON*) fetched="fmt RapidJSON" ;; esac
  for name in $fetched; do missing=$(echo "$missing" | sed "s/$name *//"); done
  [ -n "$missing" ] || return 0
  fail "CMake finds no $(echo "$missing" | sed 's/ / and no /g'): install it (Debian: libfmt-dev rapidjson-dev libssl-dev),
         or name its folder in CMAKE_PREFIX_PATH; fmt and RapidJSON are also taken from sources in EAGLE_DEVICE_DEPS, or fetched
         with EAGLE_CMAKE_OPTIONS=-DEAGLE_FETCH_DEPS=ON"
  finish
}
