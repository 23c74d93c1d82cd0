# SPDX-License-Identifier: Apache-2.0
# eagle_add_plugin(NAME HOST source... [DEVICE source] ACCESS access [OP op] ARGS "role name [dtype [shape]]"...
#                  [SCALAR float64|float32] [INDEX 32|64] [KERNEL name] [DEFAULTS argument=number...] [WRITES_TERMINATED]
#                  [FORMAT ptx|cubin|fatbin] [ARCH capability] [BUNDLE folder])
#
# Builds the plugin NAME and writes its bundle: manifest.json, NAME.json, NAME.so and, where DEVICE is given and nvcc is found,
# NAME.ptx (or FORMAT). HOST and DEVICE may be one source. The library's target is eagle_plugin_NAME. Of eagle a plugin uses
# eagle::abi alone. Nothing is contracted, so that host and device give the same bits for a body of + - * / and sqrt.
#
#   ARGS      in any order. dtype: SCALAR if not given; bool of terminated; none of nsamples. shape: a width (vec_in, out), RxC
#             (mat_in, out), either or none (mutable), none of the others. A lookup called finished_count is a uint32 that
#             the body may write.
#   INDEX     bits of the body's sample index: with 32 a run has fewer than 2^32 samples. Default 32.
#   KERNEL    what the source calls the body, if not NAME.
#   DEFAULTS  what a mutable that a run does not give starts from. Default 0.
#   WRITES_TERMINATED  the body writes its terminated argument.
#   ARCH      compute capability. PTX runs on it and on newer ones, a cubin on it alone. Default 75.
#   BUNDLE    default: NAME in EAGLE_BUNDLE_DIR where that is set, else in the current binary folder.
#
# EAGLE_NVCC is the nvcc in use. Where none is found, or it is set to OFF, every plugin is built for the host alone.
cmake_policy(VERSION 3.25)

function(eagle_add_plugin name)
  include("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/eagle_plugin_arguments.cmake")
  include("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/eagle_plugin_bundle.cmake")
  cmake_parse_arguments(arg "WRITES_TERMINATED" "DEVICE;ACCESS;OP;SCALAR;INDEX;KERNEL;FORMAT;ARCH;BUNDLE" "HOST;ARGS;DEFAULTS"
    ${ARGN})
  _eagle_check_options()
  _eagle_check_arguments()
  set(targets "\"host\"")
  set(artifact ${name}.so)
  if(arg_DEVICE)
    eagle_find_nvcc()
  endif()
  if(arg_DEVICE AND EAGLE_NVCC)
    set(targets "\"device\",\n    \"host\"")
    set(artifact ${name}.${arg_FORMAT})
  else()
    set(arg_FORMAT host)
  endif()
  set(declaration "${CMAKE_CURRENT_BINARY_DIR}/${name}_declaration.hpp")
  _eagle_write_bundle()
  _eagle_build_host()
  if(NOT arg_FORMAT STREQUAL "host")
    _eagle_build_device()
  endif()
endfunction()

function(eagle_find_nvcc)
  find_program(EAGLE_NVCC NAMES $ENV{CUDACXX} ${CMAKE_CUDA_COMPILER} nvcc PATHS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin
    DOC "nvcc, or OFF to build plugins for the host alone")
endfunction()

function(_eagle_refuse text)
  message(FATAL_ERROR "eagle_add_plugin(${name}): ${text}")
endfunction()

function(_eagle_accept what value)
  if(NOT value IN_LIST ARGN)
    list(JOIN ARGN ", " accepted)
    _eagle_refuse("${what} is '${value}', accepted: ${accepted}")
  endif()
endfunction()

macro(_eagle_default key value)
  if("${arg_${key}}" STREQUAL "")
    set(arg_${key} "${value}")
  endif()
endmacro()

macro(_eagle_check_options)
  if(NOT name MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    _eagle_refuse("the name is not a C identifier")
  elseif(arg_UNPARSED_ARGUMENTS)
    _eagle_refuse("no keyword takes '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  foreach(key HOST ACCESS ARGS)
    if(NOT arg_${key})
      _eagle_refuse("${key} is missing")
    endif()
  endforeach()
  _eagle_default(SCALAR float64)
  _eagle_default(INDEX 32)
  _eagle_default(KERNEL ${name})
  _eagle_default(FORMAT ptx)
  _eagle_default(ARCH 75)
  if(EAGLE_BUNDLE_DIR)
    _eagle_default(BUNDLE "${EAGLE_BUNDLE_DIR}/${name}")
  endif()
  _eagle_default(BUNDLE "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  _eagle_accept("ACCESS" "${arg_ACCESS}" sample_local cross_sample_read cross_sample_write mapreduce)
  _eagle_accept("SCALAR" "${arg_SCALAR}" float64 float32)
  _eagle_accept("INDEX" "${arg_INDEX}" 32 64)
  _eagle_accept("FORMAT" "${arg_FORMAT}" ptx cubin fatbin)
  if(arg_ACCESS STREQUAL "mapreduce")
    _eagle_accept("OP, which mapreduce requires," "${arg_OP}" sum times max land)
  elseif(arg_OP)
    _eagle_refuse("OP is '${arg_OP}', forbidden unless ACCESS is mapreduce")
  endif()
endmacro()

function(_eagle_build_host)
  set(target eagle_plugin_${name})
  add_library(${target} MODULE ${arg_HOST})
  # $<1:...> keeps multi-configuration generators from adding a folder of their own.
  set_target_properties(${target} PROPERTIES PREFIX "" SUFFIX .so OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY "$<1:${arg_BUNDLE}>" CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_features(${target} PRIVATE cxx_std_20)
  # -O3: below it, GCC does not vectorise loops whose planes might overlap. -fno-math-errno lets it vectorise sqrt; it changes
  # no value. After -fno-fast-math, which would set it back.
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3> -ffp-contract=off -fno-fast-math
    -fno-math-errno "SHELL:-include \"${declaration}\"")
  target_compile_definitions(${target} PRIVATE EAGLE_INDEX_BITS=${arg_INDEX})
  target_link_libraries(${target} PRIVATE eagle::abi)
endfunction()

function(_eagle_build_device)
  set(output "${arg_BUNDLE}/${artifact}")
  get_filename_component(source "${arg_DEVICE}" ABSOLUTE)
  string(REPLACE " " "\\ " rule "${output}")  # as dependency files have it: nvcc does not quote the name of its rule
  set(arch_ptx -arch=compute_${arg_ARCH})
  set(arch_cubin -arch=sm_${arg_ARCH})
  set(arch_fatbin -gencode=arch=compute_${arg_ARCH},code=[sm_${arg_ARCH},compute_${arg_ARCH}] --no-compress)
  set(host_compiler ${CMAKE_CUDA_HOST_COMPILER} $ENV{CUDAHOSTCXX} ${CMAKE_CXX_COMPILER})
  list(GET host_compiler 0 host_compiler)
  add_custom_command(OUTPUT "${output}" DEPENDS "${source}" "${declaration}" DEPFILE "${declaration}.d"
    COMMAND "${EAGLE_NVCC}" --${arg_FORMAT} ${arch_${arg_FORMAT}} -ccbin "${host_compiler}" -x cu -std=c++20 --fmad=false
      -DEAGLE_INDEX_BITS=${arg_INDEX} "-I$<JOIN:$<TARGET_PROPERTY:eagle::abi,INTERFACE_INCLUDE_DIRECTORIES>,;-I>"
      -include "${declaration}" -MD -MT "${rule}" -MF "${declaration}.d" -o "${output}" "${source}"
    COMMENT "Building ${name} for the device" COMMAND_EXPAND_LISTS VERBATIM)
  target_sources(eagle_plugin_${name} PRIVATE "${output}")
endfunction()
