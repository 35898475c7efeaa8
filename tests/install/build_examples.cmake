# Builds the installed examples as a project of their own, and runs them.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

set(build "${WORK}/examples")
file(REMOVE_RECURSE "${build}")
file(GLOB_RECURSE examples "${PREFIX}/share/doc/*/examples/CMakeLists.txt")
cmake_path(GET examples PARENT_PATH source)
run("${CMAKE_COMMAND}" -S "${source}" -B "${build}" -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${PREFIX}"
    "-DCMAKE_C_COMPILER=${C_COMPILER}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}")
run("${CMAKE_COMMAND}" --build "${build}")
run("${CMAKE_COMMAND}" -E chdir "${build}" "${build}/halyard-hello" local://sync)
expect_output("10 20 30 40")
run("${build}/halyard-timeline" local://task)
expect_output("100 frames, all as expected")
run("${build}/halyard-replay" local://sync)
expect_output("all right")
run("${build}/halyard-digits" --device=local://sync --batch=100 --repeat=1)
expect_output("accuracy: ")
