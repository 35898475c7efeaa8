# A project of C alone that has kernels is told what to write.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

set(build "${WORK}/kernels.c")
file(REMOVE_RECURSE "${build}")
execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/kernels" -B "${build}" -G "${GENERATOR}"
          "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DCMAKE_C_COMPILER=${C_COMPILER}" -DLANGUAGE=C
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(result STREQUAL "0")
  fail("A project without C++ was configured" "${output}")
endif()
string(REGEX REPLACE "[ \n]+" " " output "${output}") # CMake breaks lines where it likes
expect_output("halyard_add_kernels(scale): kernels for the host are compiled as C++; write project(... LANGUAGES C CXX)")
