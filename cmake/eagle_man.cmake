# SPDX-License-Identifier: Apache-2.0
# The man pages eagle.1, eagle-run.1 and so on, from what the command says of itself, where there is a Python. Installed.
if(NOT EAGLE_BUILD_COMMAND OR CMAKE_CROSSCOMPILING)
  return()
endif()
find_package(Python3 QUIET COMPONENTS Interpreter)
if(NOT Python3_Interpreter_FOUND)
  message(STATUS "eagle: no Python was found: the man pages are left out")
  return()
endif()
set(eagle_man "${PROJECT_BINARY_DIR}/man")
set(eagle_man_sources "${PROJECT_SOURCE_DIR}/docs/_ext/man.py" "${PROJECT_SOURCE_DIR}/docs/_ext/cli_help.py")
add_custom_command(OUTPUT "${eagle_man}/eagle.1" DEPENDS eagle_command ${eagle_man_sources}
  COMMAND Python3::Interpreter -B "${PROJECT_SOURCE_DIR}/docs/_ext/man.py" "$<TARGET_FILE:eagle_command>" "${eagle_man}"
  COMMENT "Writing the man pages" VERBATIM)
add_custom_target(eagle_man ALL DEPENDS "${eagle_man}/eagle.1")
install(DIRECTORY "${eagle_man}/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" FILES_MATCHING PATTERN "*.1")
