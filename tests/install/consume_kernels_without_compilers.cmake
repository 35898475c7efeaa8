# Builds kernels/ on a machine that has no compiler of kernels but that of the host: each of them is missed in one line,
# and what is left runs.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

set(build "${WORK}/kernels.host")
set(broken "${WORK}/kernels.broken")
file(REMOVE_RECURSE "${build}" "${broken}")
# Every clang that may be looked for is there, and compiles nothing.
foreach(version IN ITEMS "" -14 -15 -16 -17 -18 -19 -20 -21 -22)
  foreach(clang IN ITEMS clang clang++)
    file(WRITE "${broken}/${clang}${version}" "#!/bin/sh\nexit 1\n")
    file(CHMOD "${broken}/${clang}${version}" PERMISSIONS OWNER_READ OWNER_EXECUTE)
  endforeach()
endforeach()
run("${CMAKE_COMMAND}" -E env "PATH=${broken}:$ENV{PATH}" "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/kernels"
    -B "${build}" -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}"
    -DCMAKE_BUILD_TYPE=Release -DHALYARD_GLSLANG=FALSE)
foreach(kind IN ITEMS ptx hsaco spirv)
  string(REGEX MATCHALL "Kernels: no ${kind}, as its compiler was not found \\(apt-get install [^\n]+\\)\n" lines
         "${output}")
  list(LENGTH lines count)
  if(NOT count EQUAL 1)
    fail("One line above should miss the compiler of ${kind}, but ${count} do" "${output}")
  endif()
endforeach()
run("${CMAKE_COMMAND}" --build "${build}")
run("${PREFIX}/bin/halyard-pack" "--dump=${build}/scale.halx")
expect_output("scale.halx: 1 export, 1 variant")
run("${PREFIX}/bin/halyard-run" --device=local://sync "--executable=${build}/scale.halx" --workgroups=1
    --constant=f32:10 "--input=f32[4]=1" "--output=-:f32[4]")
expect_output("=10 10 10 10")
