# Configures a project that takes the source tree in by add_subdirectory(). Building all of it again would cost a
# minute and compile what is compiled already.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

set(build "${WORK}/subdirectory")
file(REMOVE_RECURSE "${build}")
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/consumer" -B "${build}" -G "${GENERATOR}"
    "-DCMAKE_C_COMPILER=${C_COMPILER}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}" -DLANGUAGE=cxx -DLINKAGE=static
    "-DHALYARD=${SOURCE}" --no-warn-unused-cli)
run("${CMAKE_COMMAND}" --build "${build}" --target help)
foreach(target IN ITEMS halyard halyard_static)
  expect_output("\n${target}: phony")
endforeach()
if(output MATCHES "\n(halyard-[a-z]+):")
  message(FATAL_ERROR "A project that takes the library in would have to build ${CMAKE_MATCH_1} as well")
endif()
file(GLOB_RECURSE rules "${build}/halyard/cmake_install.cmake")
foreach(file IN LISTS rules)
  file(READ "${file}" content)
  if(content MATCHES "file\\(INSTALL")
    message(FATAL_ERROR "A project that takes the library in would install it as well: ${file}")
  endif()
endforeach()
