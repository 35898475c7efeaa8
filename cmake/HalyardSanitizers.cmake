# Builds everything with the sanitizers of HALYARD_SANITIZE, and makes their programs start on any kernel.

if(NOT HALYARD_SANITIZE)
  return()
endif()

list(JOIN HALYARD_SANITIZE "," sanitizers)
add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all)
add_link_options(-fsanitize=${sanitizers})

# A program in C that links the library needs the part of Clang's runtime that is for C++.
if("undefined" IN_LIST HALYARD_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL "Clang")
  add_link_options($<$<LINK_LANGUAGE:C>:-fsanitize-link-c++-runtime>)
endif()

# Thread sanitizer needs fixed address ranges; kernels that randomise addresses widely (vm.mmap_rnd_bits = 32)
# make its programs end with "unexpected memory mapping". Without randomisation they always start. Containers
# may forbid switching it off, hence the trial.
if("thread" IN_LIST HALYARD_SANITIZE AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  execute_process(COMMAND setarch -R true RESULT_VARIABLE refused OUTPUT_QUIET ERROR_QUIET)
  if(NOT refused)
    set(CMAKE_CROSSCOMPILING_EMULATOR setarch -R)
  endif()
endif()

# GCC's warnings about the bounds of copies take what ThreadSanitizer adds for the program's own; the other builds have
# them.
if("thread" IN_LIST HALYARD_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-array-bounds -Wno-stringop-overflow)
endif()
