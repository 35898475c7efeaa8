# Installs the build, then moves what was installed: nothing of it may remember the first place.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

file(REMOVE_RECURSE "${WORK}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/first")
cmake_path(GET PREFIX PARENT_PATH folder)
file(MAKE_DIRECTORY "${folder}")
file(RENAME "${WORK}/first" "${PREFIX}")
