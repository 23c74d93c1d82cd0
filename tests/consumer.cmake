# Only as part of eagle's own build: the three ways in which another project uses eagle, in a folder with a blank in its name.
foreach(way build install subdirectory)
  add_test(NAME consumer.${way} COMMAND "${CMAKE_COMMAND}" -DWAY=${way} "-DEAGLE_SOURCE=${eagle_SOURCE_DIR}"
    "-DEAGLE_BUILD=${eagle_BINARY_DIR}" "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/consumer ${way}" "-DCXX=${CMAKE_CXX_COMPILER}"
    "-DPREFIX=${CMAKE_PREFIX_PATH}" -P "${CMAKE_CURRENT_LIST_DIR}/consumer/check.cmake")
  set_tests_properties(consumer.${way} PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION "consumer: ok")
endforeach()
