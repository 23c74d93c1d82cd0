# Install rules: targets, headers, the package files that find_package(eagle) reads, and eagle_add_plugin for plugins
# written outside.
include(CMakePackageConfigHelpers)

set(eagle_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/eagle")
set(eagle_targets eagle_abi eagle_core eagle_eagle)
if(EAGLE_HOST)
  list(APPEND eagle_targets eagle_host)
endif()

if(EAGLE_CUDA)
  list(APPEND eagle_targets eagle_cuda)
endif()
if(EAGLE_NCCL)
  list(APPEND eagle_targets eagle_nccl)
endif()
if(EAGLE_MPI)
  list(APPEND eagle_targets eagle_mpi)
endif()

install(TARGETS ${eagle_targets} EXPORT eagleTargets FILE_SET HEADERS)
install(EXPORT eagleTargets NAMESPACE eagle:: DESTINATION "${eagle_package_dir}")
export(EXPORT eagleTargets NAMESPACE eagle:: FILE "${PROJECT_BINARY_DIR}/eagleTargets.cmake")
if(EAGLE_BUILD_COMMAND)
  install(TARGETS eagle_command)
endif()

if(EAGLE_BUILD_PLUGINS)
  install(DIRECTORY "${EAGLE_BUNDLE_DIR}/" DESTINATION "${CMAKE_INSTALL_LIBDIR}/eagle/bundles")
endif()

set(eagle_worked_bundles "${CMAKE_INSTALL_LIBDIR}/eagle/bundles")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/eagleConfig.cmake.in" "${PROJECT_BINARY_DIR}/eagleConfig.cmake"
  INSTALL_DESTINATION "${eagle_package_dir}" PATH_VARS eagle_worked_bundles NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/eagleConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/eagleConfig.cmake" "${PROJECT_BINARY_DIR}/eagleConfigVersion.cmake"
  DESTINATION "${eagle_package_dir}")
foreach(module eagle_add_plugin eagle_plugin_arguments eagle_plugin_bundle)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/${module}.cmake" "${PROJECT_BINARY_DIR}/${module}.cmake" COPYONLY)
  install(FILES "${PROJECT_SOURCE_DIR}/cmake/${module}.cmake" DESTINATION "${eagle_package_dir}")
endforeach()
