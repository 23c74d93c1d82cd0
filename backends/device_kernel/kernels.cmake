# SPDX-License-Identifier: Apache-2.0
# Defines eagle_kernels, an object library: kernels_image(), with the kernels of kernels.cu built by nvcc, or empty where there
# is none (EAGLE_NVCC, as for plugins). A library takes it in by target_sources(... $<TARGET_OBJECTS:eagle_kernels>). Its
# property EAGLE_ARCHITECTURES names what the image holds: machine code of these, and PTX of the first for all that are newer.
include_guard(GLOBAL)

add_library(eagle_kernels OBJECT "${CMAKE_CURRENT_LIST_DIR}/kernels_image.cpp")
target_include_directories(eagle_kernels PUBLIC "${eagle_SOURCE_DIR}/backends")
eagle_compile_options(eagle_kernels)

eagle_find_nvcc()
if(NOT EAGLE_NVCC)
  return()
endif()

execute_process(COMMAND "${EAGLE_NVCC}" --list-gpu-code OUTPUT_VARIABLE known COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[0-9]+" known "${known}")
set(code -gencode=arch=compute_80,code=compute_80)
set(architectures "")
foreach(each 80 90 100)
  if(each IN_LIST known)
    list(APPEND code -gencode=arch=compute_${each},code=sm_${each})
    list(APPEND architectures sm_${each})
  endif()
endforeach()

set(image "${CMAKE_CURRENT_BINARY_DIR}/eagle_kernels.fatbin")
set(source "${CMAKE_CURRENT_LIST_DIR}/kernels.cu")
set(host_compiler ${CMAKE_CUDA_HOST_COMPILER} $ENV{CUDAHOSTCXX} ${CMAKE_CXX_COMPILER})
list(GET host_compiler 0 host_compiler)
# Relative names, since nvcc writes a dependency file without quoting the spaces of a folder.
add_custom_command(OUTPUT "${image}" DEPENDS "${source}" DEPFILE "${image}.d"
  COMMAND "${EAGLE_NVCC}" --fatbin ${code} --threads 2 --no-compress -ccbin "${host_compiler}" -std=c++20 --fmad=false
    -Werror all-warnings "-I${eagle_SOURCE_DIR}/core" "-I${eagle_SOURCE_DIR}/backends"
    -MD -MT eagle_kernels.fatbin -MF eagle_kernels.fatbin.d -o eagle_kernels.fatbin "${source}"
  COMMENT "Building eagle's kernels for ${architectures}" VERBATIM)
target_sources(eagle_kernels PRIVATE "${image}")
set_target_properties(eagle_kernels PROPERTIES EAGLE_ARCHITECTURES "${architectures}")
set_source_files_properties("${CMAKE_CURRENT_LIST_DIR}/kernels_image.cpp" PROPERTIES OBJECT_DEPENDS "${image}"
  COMPILE_DEFINITIONS "EAGLE_KERNELS_IMAGE=\"${image}\"")
