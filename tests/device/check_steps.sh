# SPDX-License-Identifier: Apache-2.0
# Sourced by check.sh: what it builds and runs.

# configure NAME SOURCE BUILD OPTIONS...
configure() {
  name=$1 source=$2 folder=$3 && shift 3
  step "configure_$name" 60 cmake -G "$generator" -S "$source" -B "$folder" -DCMAKE_BUILD_TYPE=Release "$@"
}
# A project that uses the eagle in the build folder; a fmt that was fetched for that one lies there too.
configure_user() {
  fmt=
  [ ! -d "$build/_deps/fmt-build" ] || fmt=-Dfmt_DIR=$build/_deps/fmt-build
  configure "$1" "$here/$1" "$build/$1" "-Deagle_DIR=$build" $fmt "-DEAGLE_DEVICE_ARCH=$arch" "-DCMAKE_CUDA_ARCHITECTURES=$arch"
}
compile() { step "build_$1" 600 cmake --build "$2" --parallel "$(nproc)"; }

build_checks() {
  # shellcheck disable=SC2086
  configure eagle "$top" "$build" -DEAGLE_HOST=OFF -DEAGLE_MPI=OFF -DEAGLE_BUILD_COMMAND=OFF -DEAGLE_BUILD_TESTS=OFF \
    -DEAGLE_BUILD_BENCH=OFF "-DEAGLE_NVCC=$nvcc" "-DCMAKE_CUDA_HOST_COMPILER=$cxx" $options &&
    compile eagle "$build" && configure_user check && compile check "$build/check" || return
  line ok "eagle is built, with its kernels and $(ls "$build/bundles" | wc -l) plugins"
}

# start JOB: in the background; its lines are shown by after JOB, which fails where it has failed.
start() { ( "$1"; [ -z "$failed" ] ) > "$build/$1.said" 2>&1 & eval "$1=$!"; }
after() {
  eval "wait \$$1" && { cat "$build/$1.said"; return; }
  cat "$build/$1.said"
  failed=yes
  return 1
}

build_bench() { [ -z "$gpu" ] || { configure_user bench && compile bench "$build/bench"; }; }

check_correctness() {
  small=
  [ -n "$gpu" ] || small=--small
  # shellcheck disable=SC2086
  within 120 "$build/check/device_check" $small || fail "device_check, exit code $? (124: it was stopped)"
}

check_speed() {
  after build_bench || return
  [ -n "$gpu" ] || { line skipped "speed: no GPU here"; return; }
  within 60 "$build/bench/device_bench" || fail "device_bench, exit code $? (124: it was stopped)"
}

# Why the Python part is left out, or nothing.
without_python() {
  [ -n "$python" ] || { echo "no Python"; return; }
  for module in numpy pybind11 scikit_build_core; do
    "$python" -c "import $module" 2> /dev/null || { echo "the package is not built without Python's $module"; return; }
  done
  case "$options $packages" in *CLI11=* | *"found CLI11"*) ;; *) echo "the package is not built without CLI11"; return ;; esac
  "$python" "$here/check_arrays.py" --reason
}

build_python() {
  [ -z "$(without_python)" ] || return 0
  rm -rf "$build/site"
  # shellcheck disable=SC2086
  step build_python 600 env "CMAKE_ARGS=$options" "$python" -m pip install --quiet --disable-pip-version-check \
    --no-build-isolation --no-deps --no-index --target "$build/site" "-Cbuild-dir=$build/python" \
    -Ccmake.define.EAGLE_HOST=OFF -Ccmake.define.EAGLE_PYTHON_MPI=OFF "$top"
}

check_python() {
  after build_python || return
  reason=$(without_python)
  [ -z "$reason" ] || { line skipped "arrays of Python: $reason"; return; }
  within 60 env PYTHONPATH="$build/site${PYTHONPATH:+:$PYTHONPATH}" "$python" "$here/check_arrays.py" "$build/bundles" ||
    fail "check_arrays.py, exit code $? (124: it was stopped)"
}

check_sanitizers() {
  tools=$(dirname "$(readlink -f "$nvcc")")
  sanitizer=$(first_program compute-sanitizer "$tools/compute-sanitizer" "$tools/../compute-sanitizer/compute-sanitizer")
  for tool in memcheck racecheck; do
    if [ -z "$gpu" ]; then line skipped "$tool: no GPU here"
    elif [ -z "$sanitizer" ]; then line skipped "$tool: no compute-sanitizer beside nvcc or on PATH"
    else sanitize $tool
    fi
  done
}

# eagle asks the driver for what may not be there (parameters, symbols): only what kernels do counts.
sanitize() {
  log=$build/$1.log
  within 60 "$sanitizer" --tool "$1" --error-exitcode 9 --report-api-errors no "$build/check/device_check" --small > "$log" 2>&1
  code=$?
  case $code in
    0) line ok "$1: $(grep -h SUMMARY "$log" | tail -n 1 | sed 's/^=* *//')" ;;
    124 | 137) line skipped "$1: it was not done when its time was over" ;;
    9) fail "$1 ($log): $(grep -h SUMMARY "$log" | tail -n 1 | sed 's/^=* *//')" ;;
    *) if grep -q 'FAILED ' "$log"; then fail "$1 ($log): $(grep 'FAILED ' "$log" | head -n 1)"
       else line skipped "$1: the tool does not work here, exit code $code: $(tail -n 1 "$log")"
       fi ;;
  esac
}
