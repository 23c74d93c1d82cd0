# Only as part of eagle's own build: that the project is configured in ways in which nothing here builds it.
add_test(NAME configured.no_command COMMAND "${CMAKE_COMMAND}" -G Ninja -S "${eagle_SOURCE_DIR}"
  -B "${CMAKE_CURRENT_BINARY_DIR}/configured-no_command" "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}"
  "-DCMAKE_PREFIX_PATH=${CMAKE_PREFIX_PATH}" -DEAGLE_BUILD_TESTS=ON -DEAGLE_BUILD_COMMAND=OFF)
set_tests_properties(configured.no_command PROPERTIES TIMEOUT 120)
if(TARGET eagle::host AND EAGLE_INSTALL)
  add_test(NAME configured.fetched COMMAND "${CMAKE_COMMAND}" "-DEAGLE_SOURCE=${eagle_SOURCE_DIR}"
    "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/configured-fetched" "-DCXX=${CMAKE_CXX_COMPILER}" "-DPREFIX=${CMAKE_PREFIX_PATH}"
    -DBENCH=${EAGLE_BUILD_BENCH} -P "${CMAKE_CURRENT_LIST_DIR}/configured/fetched.cmake")
  set_tests_properties(configured.fetched PROPERTIES TIMEOUT 120)
endif()
