# cmake -DSOURCE= -DWORK= -DEAGLE_BUILD= -DNVCC= -DCXX= -DPREFIX= -P compiles.cmake: device_bench builds and links, which needs a
# toolkit and no GPU.
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${out}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
step("${CMAKE_COMMAND}" -G Ninja -S "${SOURCE}" -B "${WORK}" "-Deagle_DIR=${EAGLE_BUILD}" "-DCMAKE_CUDA_COMPILER=${NVCC}"
  "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CUDA_HOST_COMPILER=${CXX}" "-DCMAKE_PREFIX_PATH=${PREFIX}"
  -DCMAKE_CUDA_ARCHITECTURES=90)
step("${CMAKE_COMMAND}" --build "${WORK}")
