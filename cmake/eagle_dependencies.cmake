# Everything eagle stands on: found, or fetched where EAGLE_FETCH_DEPS says so. No other file looks for a package.
include(FetchContent)
include(eagle_sbom)

# eagle_dependency(NAME VERSION PACKAGE debian-package REPOSITORY owner/name RELEASE version COMMIT sha [LICENSE spdx]):
# find_package, else a pinned release of GitHub's. With LICENSE, a part of what is shipped.
macro(eagle_dependency name version)
  cmake_parse_arguments(arg "" "PACKAGE;REPOSITORY;RELEASE;COMMIT;LICENSE" "" ${ARGN})
  find_package(${name} ${version} QUIET)
  if(NOT ${name}_FOUND)
    if(NOT EAGLE_FETCH_DEPS)
      message(FATAL_ERROR "eagle: ${name} ${version} or newer was not found. Install it (Debian: ${arg_PACKAGE}), name its place "
        "in CMAKE_PREFIX_PATH or ${name}_ROOT, or configure with -DEAGLE_FETCH_DEPS=ON to fetch and build ${arg_RELEASE}.")
    endif()
    message(STATUS "eagle: fetching ${name} ${arg_RELEASE}")
    FetchContent_Declare(${name} GIT_REPOSITORY https://github.com/${arg_REPOSITORY}.git GIT_TAG ${arg_COMMIT} GIT_SUBMODULES ""
      SYSTEM ${arg_UNPARSED_ARGUMENTS})
    FetchContent_MakeAvailable(${name})
  endif()
  if(arg_LICENSE AND ${name}_FOUND)
    eagle_part(${name} "${${name}_VERSION}" "${arg_LICENSE}" "pkg:github/${arg_REPOSITORY}@${${name}_VERSION}")
  elseif(arg_LICENSE)
    eagle_part(${name} "${arg_RELEASE}" "${arg_LICENSE}" "pkg:github/${arg_REPOSITORY}@${arg_COMMIT}")
  endif()
endmacro()

# What the fetched projects build by default and eagle does not need.
set(Kokkos_ENABLE_OPENMP ON CACHE BOOL "")
set(FMT_INSTALL ${EAGLE_INSTALL} CACHE BOOL "")
foreach(switch INSTALL_GTEST BENCHMARK_ENABLE_TESTING BENCHMARK_ENABLE_INSTALL)
  set(${switch} OFF CACHE BOOL "")
endforeach()

eagle_dependency(fmt 9 PACKAGE libfmt-dev LICENSE MIT
  REPOSITORY fmtlib/fmt RELEASE 11.2.0 COMMIT 40626af88bd7df9a5fb80be7b25ac85b122d6c21)
eagle_dependency(RapidJSON 1.1 PACKAGE rapidjson-dev LICENSE MIT
  REPOSITORY Tencent/rapidjson RELEASE 1.1.0-24b5e7a8 COMMIT 24b5e7a8b27f42fa16b96fc70aade9106cf7102f
  SOURCE_SUBDIR include) # headers alone: nothing of it is configured
find_package(OpenSSL 1.1 QUIET COMPONENTS Crypto)
if(NOT OPENSSL_FOUND)
  message(FATAL_ERROR "eagle: OpenSSL 1.1 or newer was not found. Install it (Debian: libssl-dev), or name its place in "
    "OPENSSL_ROOT_DIR.")
endif()
set(openssl_license Apache-2.0)
if(OPENSSL_VERSION VERSION_LESS 3)
  set(openssl_license OpenSSL)
endif()
eagle_part(OpenSSL "${OPENSSL_VERSION}" ${openssl_license} "pkg:generic/openssl@${OPENSSL_VERSION}")
if(EAGLE_HOST)
  eagle_dependency(Kokkos 4.5 PACKAGE libkokkos-dev LICENSE "Apache-2.0 WITH LLVM-exception"
    REPOSITORY kokkos/kokkos RELEASE 4.6.01 COMMIT 1b1383c6001f3bfe9fe309ca923c2d786600cc79)
endif()
if(EAGLE_MPI)
  find_package(MPI 3.1 QUIET COMPONENTS CXX)
  if(NOT MPI_FOUND AND NOT EAGLE_MPI STREQUAL "AUTO")
    message(FATAL_ERROR "eagle: EAGLE_MPI=${EAGLE_MPI}, and no MPI 3.1 or newer was found. Install one (Debian: libmpich-dev), "
      "name its compiler wrapper in MPI_CXX_COMPILER, or configure with -DEAGLE_MPI=OFF.")
  endif()
  set(EAGLE_MPI ${MPI_FOUND})
endif()
if(Kokkos_FOUND AND (EAGLE_BUILD_PLUGINS OR EAGLE_BUILD_EXAMPLES))  # not beside a Kokkos that was fetched
  find_package(KokkosKernels 4.6 QUIET)
  if(NOT TARGET Kokkos::kokkoskernels)
    message(STATUS "eagle: no Kokkos Kernels 4.6 or newer was found: the plugin solve4 is left out, and the example "
      "conjugate_gradient does without")
  endif()
endif()
if(EAGLE_BUILD_COMMAND OR EAGLE_BUILD_EXAMPLES)
  eagle_dependency(CLI11 2.3 PACKAGE libcli11-dev LICENSE BSD-3-Clause
    REPOSITORY CLIUtils/CLI11 RELEASE 2.5.0 COMMIT 4160d259d961cd393fd8d67590a8c7d210207348)
endif()
if(EAGLE_BUILD_TESTS)
  eagle_dependency(GTest 1.12 PACKAGE libgmock-dev
    REPOSITORY google/googletest RELEASE 1.17.0 COMMIT 52eb8108c5bdec04579160ae17225d66034bd723)
endif()
if(EAGLE_BUILD_BENCH)
  find_package(OpenMP QUIET REQUIRED COMPONENTS CXX) # a Kokkos that was fetched keeps its own to itself
  eagle_dependency(benchmark 1.8 PACKAGE libbenchmark-dev
    REPOSITORY google/benchmark RELEASE 1.9.1 COMMIT c58e6d0710581e3a08d65c349664128a8d9a2461)
endif()
