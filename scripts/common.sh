# Sourced by the scripts beside it; $top is the checkout.

absolute() { case $1 in /*) echo "$1" ;; *) echo "$(pwd -P)/$1" ;; esac; }
deps=$(absolute "${EAGLE_DEPS_DIR:-$top/.deps}")
build=$(absolute "${EAGLE_BUILD_DIR:-$top/build}")

fail() { echo "eagle: $*" >&2; exit 1; }

# The option of sanitizers that names what finds lines of sources, where Clang's own is not installed.
symbolizer() {
  found=$(command -v llvm-symbolizer || command -v addr2line || :)
  echo "${found:+:external_symbolizer_path=$found}"
}

debian_packages() { grep -v '^#' "$top/scripts/packages" | tr '\n' ' '; }

# The Debian mirror that this machine's own package configuration names.
debian_mirror() {
  cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2> /dev/null |
    sed -n -e 's/^URIs: *\([^ ]*\/debian\)\/* *$/\1/p' -e 's/^deb \(\[[^]]*\] *\)\{0,1\}\([^ ]*\/debian\)\/* .*/\2/p' | head -n 1 | grep . ||
    fail "no Debian mirror found in /etc/apt"
}

# Success if the caller's environment names a Kokkos (Kokkos_ROOT, Kokkos_DIR, CMAKE_PREFIX_PATH; Spack and modules set these).
has_own_kokkos() {
  [ -z "${Kokkos_DIR:-}" ] || return 0
  for prefix in "${Kokkos_ROOT:-}" "${KOKKOS_ROOT:-}" $(echo "${CMAKE_PREFIX_PATH:-}" | tr ':;' '  '); do
    [ -n "$prefix" ] || continue
    for file in "$prefix"/lib*/cmake/Kokkos/KokkosConfig.cmake "$prefix"/lib/*/cmake/Kokkos/KokkosConfig.cmake; do
      [ ! -e "$file" ] || return 0
    done
  done
  named=${Kokkos_ROOT:-${KOKKOS_ROOT:-}}
  [ -z "$named" ] || fail "Kokkos_ROOT is $named, which has no lib*/cmake/Kokkos/KokkosConfig.cmake: correct or unset it"
  return 1
}

# How this machine gets its environment: own (a Kokkos that the caller names), debian (13 or newer, packages), root (an
# older Debian: a private Debian 13 root), other (whatever find_package finds).
way() {
  if [ -n "${EAGLE_WAY:-}" ]; then echo "$EAGLE_WAY"  # inside scripts/shell
  elif has_own_kokkos; then echo own
  elif ! command -v dpkg > /dev/null || ! grep -qx 'ID=debian' /etc/os-release; then echo other
  elif dpkg --compare-versions "$(dpkg-query -W -f '${Version}' libc6)" ge 2.38; then echo debian
  else echo root
  fi
}
