# Builds and runs a consumer with nothing but a compiler and what pkg-config says. With STATIC_FLAG it says it for
# `pkg-config --static halyard`, which is for those who have the archive only: a folder that holds no other library
# stands first in the search.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

set(build "${WORK}/${LANGUAGE}.${LINKAGE}.pkg-config${STATIC_FLAG}")
file(REMOVE_RECURSE "${build}")
file(MAKE_DIRECTORY "${build}")
set(ENV{PKG_CONFIG_PATH} "${PREFIX}/${LIBDIR}/pkgconfig")

set(package halyard)
if(STATIC_FLAG)
  file(COPY "${PREFIX}/${LIBDIR}/libhalyard.a" DESTINATION "${build}/archive")
  set(search "-L${build}/archive")
  list(APPEND PKG_CONFIG --static)
elseif(LINKAGE STREQUAL "static")
  set(package halyard-static)
endif()
run(${PKG_CONFIG} --modversion ${package})
expect_output("${VERSION}")
run(${PKG_CONFIG} --cflags --libs ${package})
separate_arguments(flags UNIX_COMMAND "${output}")

if(LANGUAGE STREQUAL "c")
  set(compile "${C_COMPILER}" -std=c11 -Wall -Wextra -Werror "${SOURCE}/tests/abi/c_consumer.c")
else()
  set(compile "${CXX_COMPILER}" -std=c++17 -Wall -Wextra -Werror "${CMAKE_CURRENT_LIST_DIR}/consumer/consumer.cpp")
endif()
run(${compile} -o "${build}/consumer" ${search} ${flags})
set(ENV{LD_LIBRARY_PATH} "${PREFIX}/${LIBDIR}:$ENV{LD_LIBRARY_PATH}")
expect_linkage("${build}/consumer" ${LINKAGE})
run_consumer("${build}/consumer")
