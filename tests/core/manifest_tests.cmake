# The tests that read manifests and sidecars, and the one that holds the published JSON schemas against the same rows.
find_path(EAGLE_RAPIDJSON_INCLUDE_DIR rapidjson/reader.h REQUIRED HINTS "${RapidJSON_DIR}/../../../include")
eagle_add_test(manifest_test LIBRARIES eagle::core SOURCES
  bundle_files_test.cpp
  bundle_test.cpp
  conformance_test.cpp
  json_test.cpp)
target_include_directories(manifest_test SYSTEM PRIVATE "${EAGLE_RAPIDJSON_INCLUDE_DIR}")

add_test(NAME schema_test COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/schema_test.py"
  "${CMAKE_CURRENT_SOURCE_DIR}/../../core/schema" "${CMAKE_CURRENT_SOURCE_DIR}/../data" ${EAGLE_BUNDLE_DIR})
set_tests_properties(schema_test PROPERTIES PASS_REGULAR_EXPRESSION "schema_test: passed" TIMEOUT 120)
