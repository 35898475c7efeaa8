# The one kernel of the driver, count_reader.cu: sets the grids of indirect dispatches. It takes nvcc and
# libcudadevrt of CUDA 12.4 or newer, of which nothing is needed when the library is used.
#
# It is compiled here, while CMake configures: whether that works says whether there will be such a kernel.
set(HALYARD_CUDA_DEVICE_UPDATABLE_NODES AUTO CACHE STRING
    "Let CUDA devices read the counts of indirect dispatches: AUTO (if nvcc can build it), ON (or fail) or OFF")
set_property(CACHE HALYARD_CUDA_DEVICE_UPDATABLE_NODES PROPERTY STRINGS AUTO ON OFF)
find_program(HALYARD_NVCC nvcc PATHS ENV CUDA_PATH ENV CUDA_HOME /usr/local/cuda PATH_SUFFIXES bin)
mark_as_advanced(HALYARD_NVCC)

# Machine code for these, as far as nvcc knows them. It runs on later minor versions of each, too.
set(count_reader_architectures 70 75 80 90 100 110 120)

# Makes the fatbin IMAGE of the kernel. `out_why` is empty if that worked.
function(halyard_compile_count_reader source image out_why)
  execute_process(COMMAND "${HALYARD_NVCC}" --list-gpu-code OUTPUT_VARIABLE known ERROR_QUIET)
  string(REGEX MATCHALL "[0-9]+" known "${known}")
  foreach(architecture IN LISTS count_reader_architectures)
    if(architecture IN_LIST known)
      list(APPEND codes "-gencode=arch=compute_${architecture},code=sm_${architecture}")
    endif()
  endforeach()
  set(object "${image}.o")
  # Not compressed, so that the simulated CUDA of the tests can look inside.
  execute_process(
    COMMAND "${HALYARD_NVCC}" -std=c++17 -rdc=true -allow-unsupported-compiler ${codes} -c "${source}" -o "${object}"
    COMMAND_ECHO NONE OUTPUT_VARIABLE log ERROR_VARIABLE log RESULT_VARIABLE failed TIMEOUT 300)
  if(NOT failed)
    execute_process(
      COMMAND "${HALYARD_NVCC}" -dlink -fatbin -no-compress ${codes} "${object}" -lcudadevrt -o "${image}"
      OUTPUT_VARIABLE log ERROR_VARIABLE log RESULT_VARIABLE failed TIMEOUT 300)
  endif()
  if(failed)
    file(REMOVE "${image}")
    set(${out_why} "${HALYARD_NVCC} cannot build ${source}:\n${log}" PARENT_SCOPE)
  endif()
endfunction()

set(count_reader_source "${CMAKE_CURRENT_SOURCE_DIR}/builtin/count_reader.cu")
set(count_reader_fatbin "${CMAKE_CURRENT_BINARY_DIR}/count_reader.fatbin")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${count_reader_source}")
set(why "")
if(HALYARD_CUDA_DEVICE_UPDATABLE_NODES STREQUAL "OFF")
  set(why "switched off by HALYARD_CUDA_DEVICE_UPDATABLE_NODES")
elseif(NOT HALYARD_NVCC)
  set(why "there is no nvcc (HALYARD_NVCC)")
elseif("${count_reader_source}" IS_NEWER_THAN "${count_reader_fatbin}")
  halyard_compile_count_reader("${count_reader_source}" "${count_reader_fatbin}" why)
endif()
if(why AND HALYARD_CUDA_DEVICE_UPDATABLE_NODES STREQUAL "ON")
  message(FATAL_ERROR "HALYARD_CUDA_DEVICE_UPDATABLE_NODES=ON: ${why}")
elseif(why)
  message(STATUS "drivers/cuda: the host reads the counts of indirect dispatches; ${why}")
endif()

set(HALYARD_CUDA_READS_COUNTS ON)
set(INPUT "${count_reader_fatbin}")
if(why)
  set(HALYARD_CUDA_READS_COUNTS OFF)
  set(INPUT "")
endif()
set_property(GLOBAL PROPERTY HALYARD_CUDA_READS_COUNTS "${HALYARD_CUDA_READS_COUNTS}")
set(count_reader_image "${CMAKE_CURRENT_BINARY_DIR}/count_reader_image.cpp")
set(NAME kCountReaderImage)
set(NAMESPACE halyard::cuda)
set(HEADER cuda/builtin/count_reader_image.h)
set(OUTPUT "${count_reader_image}")
include("${PROJECT_SOURCE_DIR}/cmake/halyard_embed_words.cmake")
