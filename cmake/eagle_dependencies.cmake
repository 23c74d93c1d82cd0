# Everything eagle stands on: found, or fetched where EAGLE_FETCH_DEPS says so. No other file looks for a package.
include(FetchContent)

# eagle_dependency(NAME VERSION PACKAGE debian-package REPOSITORY url TAG tag): find_package, else a pinned release.
macro(eagle_dependency name version)
  cmake_parse_arguments(arg "" "PACKAGE;REPOSITORY;TAG" "" ${ARGN})
  find_package(${name} ${version} QUIET)
  if(NOT ${name}_FOUND)
    if(NOT EAGLE_FETCH_DEPS)
      message(FATAL_ERROR "eagle: ${name} ${version} or newer was not found. Install it (Debian: ${arg_PACKAGE}), name its place "
        "in CMAKE_PREFIX_PATH or ${name}_ROOT, or configure with -DEAGLE_FETCH_DEPS=ON to fetch and build ${arg_TAG}.")
    endif()
    message(STATUS "eagle: fetching ${name} ${arg_TAG}")
    FetchContent_Declare(${name} GIT_REPOSITORY ${arg_REPOSITORY} GIT_TAG ${arg_TAG} GIT_SUBMODULES "" SYSTEM
      ${arg_UNPARSED_ARGUMENTS})
    FetchContent_MakeAvailable(${name})
  endif()
endmacro()

# What the fetched projects build by default and eagle does not need.
set(Kokkos_ENABLE_OPENMP ON CACHE BOOL "")
set(FMT_INSTALL ${EAGLE_INSTALL} CACHE BOOL "")
foreach(switch INSTALL_GTEST BENCHMARK_ENABLE_TESTING BENCHMARK_ENABLE_INSTALL)
  set(${switch} OFF CACHE BOOL "")
endforeach()

eagle_dependency(fmt 9 PACKAGE libfmt-dev REPOSITORY https://github.com/fmtlib/fmt.git TAG 11.2.0)
eagle_dependency(RapidJSON 1.1 PACKAGE rapidjson-dev
  REPOSITORY https://github.com/Tencent/rapidjson.git TAG 24b5e7a8b27f42fa16b96fc70aade9106cf7102f
  SOURCE_SUBDIR include) # headers alone: nothing of it is configured
find_package(OpenSSL 1.1 QUIET COMPONENTS Crypto)
if(NOT OPENSSL_FOUND)
  message(FATAL_ERROR "eagle: OpenSSL 1.1 or newer was not found. Install it (Debian: libssl-dev), or name its place in "
    "OPENSSL_ROOT_DIR.")
endif()
if(EAGLE_HOST)
  eagle_dependency(Kokkos 4.5 PACKAGE libkokkos-dev REPOSITORY https://github.com/kokkos/kokkos.git TAG 4.6.01)
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
  eagle_dependency(CLI11 2.3 PACKAGE libcli11-dev REPOSITORY https://github.com/CLIUtils/CLI11.git TAG v2.5.0)
endif()
if(EAGLE_BUILD_TESTS)
  eagle_dependency(GTest 1.12 PACKAGE libgmock-dev REPOSITORY https://github.com/google/googletest.git TAG v1.17.0)
endif()
if(EAGLE_BUILD_BENCH)
  find_package(OpenMP QUIET REQUIRED COMPONENTS CXX) # a Kokkos that was fetched keeps its own to itself
  eagle_dependency(benchmark 1.8 PACKAGE libbenchmark-dev REPOSITORY https://github.com/google/benchmark.git TAG v1.9.1)
endif()
