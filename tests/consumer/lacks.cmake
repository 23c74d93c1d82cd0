# cmake -P lacks.cmake with FOLDER, EAGLE_BUILD, COMPONENT: asks for a component of an eagle that was built without MPI.
file(READ "${EAGLE_BUILD}/eagleConfig.cmake" config)
string(REGEX REPLACE "eagle_mpi_FOUND [A-Z]+" "eagle_mpi_FOUND OFF" config "${config}")
file(WRITE "${FOLDER}/eagleConfig.cmake" "${config}")
find_package(eagle QUIET COMPONENTS ${COMPONENT} PATHS "${FOLDER}" NO_DEFAULT_PATH)
if(eagle_FOUND)
  message(FATAL_ERROR "${COMPONENT} was found")
endif()
message(STATUS "${eagle_NOT_FOUND_MESSAGE}")
