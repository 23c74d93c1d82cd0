# cmake -DNVCC= -DCXX= -DINCLUDE= -DSOURCE= -DOUTPUT= -P compiles.cmake: device code of the public headers compiles without a
# warning or a special option, and nothing of it is contracted although the compiler is left free to.
execute_process(COMMAND "${NVCC}" -ptx -arch=compute_75 -std=c++20 --fmad=true -Werror all-warnings -ccbin "${CXX}"
  "-I${INCLUDE}" -o "${OUTPUT}" "${SOURCE}" COMMAND_ERROR_IS_FATAL ANY)
file(READ "${OUTPUT}" ptx)
foreach(expected "add.rn.f64" "mul.rn.f64" "add.rn.f32" "mul.rn.f32")
  string(FIND "${ptx}" "${expected}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "no ${expected} in ${OUTPUT}")
  endif()
endforeach()
if(ptx MATCHES "fma[^;]*f(32|64)[^;]*;")
  message(FATAL_ERROR "contracted: ${CMAKE_MATCH_0} in ${OUTPUT}")
endif()
