# The tests that read manifests and sidecars, and the one that holds the published JSON schemas against the same rows.
find_path(EAGLE_RAPIDJSON_INCLUDE_DIR rapidjson/reader.h REQUIRED HINTS "${RapidJSON_DIR}/../../../include")
eagle_add_test(manifest_test LIBRARIES eagle::core SOURCES
  bundle_test.cpp
  conformance_test.cpp
  json_test.cpp)
target_include_directories(manifest_test SYSTEM PRIVATE "${EAGLE_RAPIDJSON_INCLUDE_DIR}")
