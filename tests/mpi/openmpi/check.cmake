# cmake -P check.cmake with EAGLE_BUILD, WORK, CXX, PREFIX, WERROR, MPI_CXX, MPIEXEC: builds RankPartition, the test program and
# the command against Open MPI, and runs them on 1 to 4 ranks. Nothing is rebuilt that is up to date.
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(NOTICE "${out}")
    message(FATAL_ERROR "failed (${code}): ${ARGN}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

# on_ranks(RANKS WORDS COMMAND ...): the exit code of mpiexec is not to be trusted, so words are required. A group of them is
# what is told of the run.
function(on_ranks ranks words)
  step("${MPIEXEC}" -n ${ranks} ${ARGN})
  if(NOT out MATCHES "${words}")
    message(NOTICE "${out}")
    message(FATAL_ERROR "on ${ranks} ranks '${words}' is missing")
  endif()
  message(STATUS "${ranks} ranks: ${CMAKE_MATCH_1}")
endfunction()

step("${CMAKE_COMMAND}" -G Ninja -S "${CMAKE_CURRENT_LIST_DIR}" -B "${WORK}" "-Deagle_DIR=${EAGLE_BUILD}"
  "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DMPI_CXX_COMPILER=${MPI_CXX}"
  "-DMPIEXEC_EXECUTABLE=${MPIEXEC}" -DCMAKE_COMPILE_WARNING_AS_ERROR=${WERROR})
step("${CMAKE_COMMAND}" --build "${WORK}" --parallel 2)
foreach(ranks 1 2 3 4)
  on_ranks(${ranks} "ranks: on (Open MPI v[^\n]*)\n.*\nranks: ok\n" "${WORK}/ranks_test" --gtest_brief=1)
endforeach()
on_ranks(2 "rank_partition built: (Open MPI v[^\n]*)\n.*ranks: 2 ranks, 2 on this node" "${WORK}/eagle" info)
message(STATUS "openmpi: ok")
