# Configures, builds and runs consumer/ with find_package(), in a project of the one language LANGUAGE.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

set(build "${WORK}/${LANGUAGE}.${LINKAGE}.cmake")
file(REMOVE_RECURSE "${build}")
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/consumer" -B "${build}" -G "${GENERATOR}"
    "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DCMAKE_C_COMPILER=${C_COMPILER}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}"
    "-DLANGUAGE=${LANGUAGE}" "-DLINKAGE=${LINKAGE}" "-DVERSION=${VERSION}" "-DC_PROGRAM=${SOURCE}/tests/abi/c_consumer.c"
    --no-warn-unused-cli)
run("${CMAKE_COMMAND}" --build "${build}")
expect_linkage("${build}/consumer" ${LINKAGE})
run_consumer("${build}/consumer")
