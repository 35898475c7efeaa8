# The examples as a project of its own, for the installed package: this file is its CMakeLists.txt.
#
#   cp -r <prefix>/share/doc/halyard/examples . && cmake -S examples -B build && cmake --build build
#
# The programs find their kernels in the build folder; halyard-digits finds its data where the tools are installed.
cmake_minimum_required(VERSION 3.21)
project(halyard_examples LANGUAGES C CXX)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
find_package(halyard REQUIRED)
find_package(Threads REQUIRED)
find_program(HALYARD_PACK halyard-pack HINTS "${HALYARD_PROGRAM_DIR}" REQUIRED)

# The kernel of hello, which timeline, replay and order run as well: a shared object of C, packed with a description of it.
add_library(hello_kernels MODULE hello/hello_kernels.c)
set_target_properties(hello_kernels PROPERTIES PREFIX "" SUFFIX ".so" C_VISIBILITY_PRESET hidden)
target_include_directories(hello_kernels PRIVATE $<TARGET_PROPERTY:halyard::halyard,INTERFACE_INCLUDE_DIRECTORIES>)
set(hello_file "${CMAKE_CURRENT_BINARY_DIR}/hello.halx")
add_custom_command(
  OUTPUT "${hello_file}"
  COMMAND "${HALYARD_PACK}" "--local=$<TARGET_FILE:hello_kernels>"
          "--exports=${CMAKE_CURRENT_SOURCE_DIR}/hello/hello.json" "--output=${hello_file}" --force
  DEPENDS hello_kernels hello/hello.json
  VERBATIM)
add_custom_target(hello_halx ALL DEPENDS "${hello_file}")

# Kernels of others, in the language of kernels, for all devices that compilers are here for.
halyard_add_kernels(digits_kernels SOURCE digits/digits_kernels.kernel)
halyard_add_kernels(model_kernels SOURCE inference/model.kernel)
halyard_add_kernels(streaming_kernels SOURCE streaming/streaming.kernel)

# add_example(<name> <sources>...)
function(add_example name)
  add_executable(halyard-${name} ${ARGN})
  target_include_directories(halyard-${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(halyard-${name} PRIVATE halyard::halyard Threads::Threads)
  target_compile_definitions(halyard-${name} PRIVATE "KERNELS=\"${hello_file}\"")
  add_dependencies(halyard-${name} hello_halx)
endfunction()

add_example(hello hello/hello.c)
add_example(timeline timeline/timeline.cpp)
add_example(replay replay/replay.cpp)
add_example(order order/order.cpp)
add_example(embedding embedding/embedding.cpp)
add_example(executor executor/executor.cpp)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  add_example(ring ring/ring.cpp ring/channel.cpp)
endif()

add_example(inference inference/inference.c)
add_example(server server/server.cpp)
add_example(streaming streaming/streaming.c)
foreach(example IN ITEMS inference server)
  add_dependencies(halyard-${example} model_kernels)
  target_compile_definitions(halyard-${example} PRIVATE "MODEL_KERNELS=\"${CMAKE_CURRENT_BINARY_DIR}/model_kernels.halx\"")
endforeach()
add_dependencies(halyard-streaming streaming_kernels)
target_compile_definitions(
  halyard-streaming PRIVATE "STREAMING_KERNELS=\"${CMAKE_CURRENT_BINARY_DIR}/streaming_kernels.halx\"")

# A driver in a shared library, which any program can load. It is a project of its own.
add_subdirectory(plugin)

file(GLOB digits_sources digits/*.cpp)
add_example(digits ${digits_sources})
add_dependencies(halyard-digits digits_kernels)
cmake_path(SET digits_data NORMALIZE "${HALYARD_PROGRAM_DIR}/../share/halyard/digits")
target_compile_definitions(halyard-digits PRIVATE "HALYARD_DIGITS_DATA=\"${digits_data}\""
                                                  "HALYARD_DIGITS_KERNELS=\"${CMAKE_CURRENT_BINARY_DIR}/digits_kernels.halx\"")
