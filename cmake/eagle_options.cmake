# The switches of the project, in one place.
option(EAGLE_HOST "Build HostTeam (needs Kokkos with OpenMP)" ON)
option(EAGLE_BUILD_COMMAND "Build the eagle command" ${PROJECT_IS_TOP_LEVEL})
option(EAGLE_BUILD_PLUGINS "Build the worked plugins" ${PROJECT_IS_TOP_LEVEL})
option(EAGLE_BUILD_TESTS "Build the tests (needs the worked plugins)" ${PROJECT_IS_TOP_LEVEL})
option(EAGLE_BUILD_BENCH "Build eagle_bench (needs the worked plugins)" ${PROJECT_IS_TOP_LEVEL})
option(EAGLE_INSTALL "Write install rules" ON)
option(EAGLE_FETCH_DEPS "Fetch and build pinned releases of dependencies that are not found" OFF)
option(EAGLE_WERROR "Treat compiler warnings as errors" OFF)

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  endif()
endif()

# What every target of the project is compiled with. Nothing here reaches a consumer: results must not depend on flags of
# the including program, and warnings are ours alone.
function(eagle_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow -ffp-contract=off -fno-fast-math
    $<$<BOOL:${EAGLE_WERROR}>:-Werror>)
endfunction()
