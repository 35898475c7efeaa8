# Builds kernels/ with halyard_add_kernels() of the installed package, installs what it made, and runs it.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

set(build "${WORK}/kernels")
set(installed "${WORK}/kernels.installed")
file(REMOVE_RECURSE "${build}" "${installed}")
# As if CMake had run here before, and found no compiler of PTX: it looks again.
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/kernels" -B "${build}" -G "${GENERATOR}"
    "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}" -DCMAKE_BUILD_TYPE=Release
    -DHALYARD_CUDA_CLANG=FALSE)
run("${CMAKE_COMMAND}" --build "${build}")
run("${CMAKE_COMMAND}" --install "${build}" --prefix "${installed}")
foreach(file IN ITEMS scale.halx scale.so scale.exports.json)
  if(NOT EXISTS "${installed}/lib/kernels/${file}")
    fail("halyard_add_kernels() installed no ${file}")
  endif()
endforeach()
run("${PREFIX}/bin/halyard-run" --device=local://sync "--executable=${installed}/lib/kernels/scale.halx" --workgroups=1
    --constant=f32:10 "--input=f32[4]=1" "--output=-:f32[4]")
expect_output("=10 10 10 10")
if(HAS_PTX)
  run("${PREFIX}/bin/halyard-pack" "--dump=${installed}/lib/kernels/scale.halx")
  expect_output("ptx for sm_70")
endif()
