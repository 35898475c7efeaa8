# Follows docs/writing-a-plugin.md: a copy of the installed plugin, built where nothing else is of Halyard, as a project
# of C alone, and the conformance suite that its project runs.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

set(build "${WORK}/plugin.build")
set(source "${WORK}/plugin")
file(REMOVE_RECURSE "${build}" "${source}")
file(GLOB examples "${PREFIX}/share/doc/*/examples/plugin/CMakeLists.txt")
cmake_path(GET examples PARENT_PATH installed)
file(COPY "${installed}" DESTINATION "${WORK}")
run("${CMAKE_COMMAND}" -S "${source}" -B "${build}" -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${PREFIX}"
    "-DCMAKE_C_COMPILER=${C_COMPILER}")
run("${CMAKE_COMMAND}" --build "${build}")
cmake_path(GET CMAKE_COMMAND PARENT_PATH programs)
run("${programs}/ctest" --test-dir "${build}" --output-on-failure)
expect_output("100% tests passed, 0 tests failed out of 1")
run("${PREFIX}/bin/halyard-info" "--plugin=${build}/abacus_driver.so" --device=abacus)
expect_output("an abacus with one frame")

# The suite notices what the list does not say: an operation that the plugin lacks.
set(list "${source}/abacus_exclusions.txt")
file(READ "${list}" text)
string(REPLACE "fail *QueueContractTest.*/read it has no such operation\n" "" shorter "${text}")
if(shorter STREQUAL text)
  fail("The exclusions have no line for reads")
endif()
file(WRITE "${list}" "${shorter}")
execute_process(COMMAND "${PREFIX}/bin/halyard-cts" "--plugin=${build}/abacus_driver.so" --device=abacus
                        "--exclusions=${list}" "--gtest_filter=*QueueContractTest.*/read"
                RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(result STREQUAL "0")
  fail("The suite passes a plugin that cannot do what it asks for" "${output}")
endif()
expect_output("QueueContractTest.")
