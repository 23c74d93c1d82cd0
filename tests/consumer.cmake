# Only as part of eagle's own build: the ways in which other projects use eagle, in a folder with a blank in its name. As a part
# of a project eagle is built anew, as shared libraries.
set(mpiexec "")
if(TARGET eagle::mpi AND TARGET eagle::host)
  set(mpiexec "${MPIEXEC_EXECUTABLE}")
endif()
foreach(way build install part)
  add_test(NAME consumer.${way} COMMAND "${CMAKE_COMMAND}" -DWAY=${way} "-DEAGLE_SOURCE=${eagle_SOURCE_DIR}"
    "-DEAGLE_BUILD=${eagle_BINARY_DIR}" "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/consumer ${way}" "-DCXX=${CMAKE_CXX_COMPILER}"
    "-DPREFIX=${CMAKE_PREFIX_PATH}" "-DMPIEXEC=${mpiexec}" -P "${CMAKE_CURRENT_LIST_DIR}/consumer/check.cmake")
  set_tests_properties(consumer.${way} PROPERTIES TIMEOUT 600 ENVIRONMENT OMP_NUM_THREADS=2
    PASS_REGULAR_EXPRESSION "consumer: ok")
endforeach()
foreach(case "mpi|without mpi: configure one with -DEAGLE_MPI=ON" "bogus|no component bogus")
  string(REPLACE "|" ";" case "${case}")
  list(POP_FRONT case component)
  add_test(NAME consumer.lacks_${component} COMMAND "${CMAKE_COMMAND}" "-DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/consumer lacks"
    "-DEAGLE_BUILD=${eagle_BINARY_DIR}" -DCOMPONENT=${component} -P "${CMAKE_CURRENT_LIST_DIR}/consumer/lacks.cmake")
  set_tests_properties(consumer.lacks_${component} PROPERTIES TIMEOUT 60 PASS_REGULAR_EXPRESSION "${case}")
endforeach()
