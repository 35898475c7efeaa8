# Builds kernels/ in a project whose only language is C, on a machine without a C++ compiler, with every warning an
# error, and runs them: one with blocks, one whose work-items return.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

set(build "${WORK}/kernels.c")
file(REMOVE_RECURSE "${build}")
run("${CMAKE_COMMAND}" -E env CXX=/nonexistent/c++
    "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/kernels" -B "${build}" -G "${GENERATOR}"
    "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DCMAKE_C_COMPILER=${C_COMPILER}" -DCMAKE_BUILD_TYPE=Release
    "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror" -DLANGUAGE=C)
run("${CMAKE_COMMAND}" --build "${build}")
foreach(kernels IN ITEMS scale common)
  if(NOT EXISTS "${build}/${kernels}.kernels/host.c" OR EXISTS "${build}/${kernels}.kernels/host.cpp")
    fail("The kernels of ${kernels} should be compiled as C")
  endif()
endforeach()
run("${PREFIX}/bin/halyard-run" --device=local://sync "--executable=${build}/scale.halx" --workgroups=1
    --constant=f32:10 "--input=f32[4]=1" "--output=-:f32[4]")
expect_output("=10 10 10 10")
run("${PREFIX}/bin/halyard-run" --device=local://sync "--executable=${build}/common.halx" --workgroups=2
    --constant=u32:6 "--input=f32[8]=2.75" "--input=f32[8]=7" "--output=1=-")
# Below the limit 2 + min(2.75, 1.5) + max(3, -1); beyond it what was there.
expect_output("=6.5 6.5 6.5 6.5 6.5 6.5 7 7")
