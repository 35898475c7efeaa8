# A project that has kernels, but neither C nor C++ to compile them for the host, is told what to write. The package
# itself needs one of them, so the project takes in the one file.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

set(build "${WORK}/kernels.no_language")
file(REMOVE_RECURSE "${build}")
file(WRITE "${build}/source/CMakeLists.txt" "cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES NONE)
include(\"${PREFIX}/${LIBDIR}/cmake/halyard/HalyardAddKernels.cmake\")
halyard_add_kernels(scale SOURCE \"${CMAKE_CURRENT_LIST_DIR}/kernels/scale.kernel\")
")
execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${build}/source" -B "${build}/build" -G "${GENERATOR}"
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(result STREQUAL "0")
  fail("A project without a language was configured" "${output}")
endif()
string(REGEX REPLACE "[ \n]+" " " output "${output}") # CMake breaks lines where it likes
expect_output("halyard_add_kernels(scale): kernels for the host are compiled as C++ or C; write project(... LANGUAGES CXX)")
