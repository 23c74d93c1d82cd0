# The switches of the project, in one place.
option(EAGLE_HOST "Build HostTeam (needs Kokkos with OpenMP)" ON)
set(EAGLE_MPI AUTO CACHE STRING "Build RankPartition: ON, OFF, or AUTO where CMake finds an MPI")
set_property(CACHE EAGLE_MPI PROPERTY STRINGS AUTO ON OFF)
option(EAGLE_BUILD_COMMAND "Build the eagle command" ${PROJECT_IS_TOP_LEVEL})
option(EAGLE_BUILD_PLUGINS "Build the worked plugins" ${PROJECT_IS_TOP_LEVEL})
option(EAGLE_BUILD_TESTS "Build the tests (needs the worked plugins)" ${PROJECT_IS_TOP_LEVEL})
option(EAGLE_BUILD_BENCH "Build eagle_bench (needs the worked plugins)" ${PROJECT_IS_TOP_LEVEL})
option(EAGLE_BUILD_PYTHON "Build the extension of the Python package (pip does)" OFF)
option(EAGLE_INSTALL "Write install rules" ON)
option(EAGLE_FETCH_DEPS "Fetch and build pinned releases of dependencies that are not found" OFF)
option(EAGLE_WERROR "Treat compiler warnings as errors" OFF)

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  endif()
endif()

# The warnings that the project is written without. They are ours alone and reach no consumer.
function(eagle_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow $<$<BOOL:${EAGLE_WERROR}>:-Werror>)
endfunction()

# What every library and program of the project is compiled with. Results must not depend on what an including project sets.
function(eagle_compile_options target)
  eagle_warnings(${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -ffp-contract=off -fno-fast-math)
endfunction()
