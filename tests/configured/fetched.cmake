# cmake -P fetched.cmake with EAGLE_SOURCE, WORK, CXX, PREFIX, BENCH: configures an eagle that fetches fmt and Kokkos, and on
# its build tree a consumer, which has these and none that the machine has.
set(fetched fmt Kokkos)
function(configure folder)
  execute_process(COMMAND "${CMAKE_COMMAND}" --fresh -G Ninja -B "${WORK}/${folder}" "-DCMAKE_CXX_COMPILER=${CXX}" ${ARGN}
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(name IN LISTS fetched)
  string(TOUPPER ${name} upper)
  list(APPEND options -DCMAKE_DISABLE_FIND_PACKAGE_${name}=ON
    "-DFETCHCONTENT_SOURCE_DIR_${upper}=${CMAKE_CURRENT_LIST_DIR}/${name}")
endforeach()
configure(eagle -S "${EAGLE_SOURCE}" -DEAGLE_FETCH_DEPS=ON ${options} -DEAGLE_BUILD_COMMAND=OFF -DEAGLE_BUILD_BENCH=${BENCH}
  "-DCMAKE_PREFIX_PATH=${PREFIX}")
set(ENV{CMAKE_PREFIX_PATH} "")
configure(consumer -S "${EAGLE_SOURCE}/tests/consumer/app" "-Deagle_DIR=${WORK}/eagle")
foreach(name IN LISTS fetched)
  string(TOLOWER ${name} lower)
  load_cache("${WORK}/consumer" READ_WITH_PREFIX found_ ${name}_DIR)
  if(NOT found_${name}_DIR STREQUAL "${WORK}/eagle/_deps/${lower}-build")
    message(FATAL_ERROR "the consumer's ${name} is ${found_${name}_DIR}: that of the eagle that it uses is due")
  endif()
endforeach()
