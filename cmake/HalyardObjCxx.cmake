# Objective-C++ on Linux, for the simulated Metal and for the Metal driver in tests: clang for .mm files, the project's
# compiler for all else and for linking. Makes the target halyard_objcxx where everything is there, and says what is
# missing where not.
include_guard(GLOBAL)

# The first that is there. 19 is what Debian 12 has, 18 what Ubuntu 24.04 has.
find_program(HALYARD_OBJCXX_COMPILER NAMES clang++-19 clang++-20 clang++-21 clang++-22 clang++-18
             DOC "The compiler of Objective-C++ files, and of Metal's language for the host")
find_path(HALYARD_GNUSTEP_INCLUDE Foundation/Foundation.h PATHS /usr/include/GNUstep NO_DEFAULT_PATH)
find_library(HALYARD_GNUSTEP_BASE gnustep-base)
mark_as_advanced(HALYARD_OBJCXX_COMPILER HALYARD_GNUSTEP_INCLUDE HALYARD_GNUSTEP_BASE)
# The runtime's library and headers lie with GCC, also where clang compiles all else.
find_program(HALYARD_GXX NAMES g++ DOC "GCC, whose Objective-C runtime is used")
mark_as_advanced(HALYARD_GXX)
if(HALYARD_GXX)
  execute_process(COMMAND "${HALYARD_GXX}" -print-file-name=libobjc.so OUTPUT_VARIABLE HALYARD_LIBOBJC
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND "${HALYARD_GXX}" -print-file-name=include OUTPUT_VARIABLE HALYARD_GCC_INCLUDE
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()

if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  message(STATUS "Simulated Metal: not built, it is for Linux")
elseif(NOT HALYARD_OBJCXX_COMPILER OR NOT HALYARD_GNUSTEP_INCLUDE OR NOT HALYARD_GNUSTEP_BASE
       OR NOT EXISTS "${HALYARD_GCC_INCLUDE}/objc/objc.h")
  message(STATUS "Simulated Metal: not built, it needs clang 18 or newer, libgnustep-base-dev, and libobjc-N-dev of GCC N")
else()
  set(CMAKE_OBJCXX_COMPILER "${HALYARD_OBJCXX_COMPILER}")
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_OBJCXX_COMPILER_LAUNCHER "${CMAKE_CXX_COMPILER_LAUNCHER}")
  endif()
  # CMake keeps one ending and one first line for the precompiled headers of all languages, those of the language that
  # was enabled last. With clang's, GCC does not find what it precompiled.
  set(pch_extension "${CMAKE_PCH_EXTENSION}")
  set(pch_prologue "${CMAKE_PCH_PROLOGUE}")
  enable_language(OBJCXX)
  set(CMAKE_PCH_EXTENSION "${pch_extension}")
  set(CMAKE_PCH_PROLOGUE "${pch_prologue}")
  set(CMAKE_OBJCXX_STANDARD 20)
  add_library(halyard_objcxx INTERFACE)
  target_include_directories(halyard_objcxx INTERFACE "${PROJECT_SOURCE_DIR}/tests/sim/metal/include")
  target_compile_options(
    halyard_objcxx
    INTERFACE
      "$<$<COMPILE_LANGUAGE:OBJCXX>:-fobjc-runtime=gcc;-fblocks;-fobjc-exceptions;-D_NATIVE_OBJC_EXCEPTIONS;-DGNUSTEP;-DGNUSTEP_BASE_LIBRARY=1;-DGNU_RUNTIME=1;-fconstant-string-class=NSConstantString;-Wall;-Wextra;-Wno-availability;-Wno-pedantic;-Wno-unknown-warning-option;-Wno-cast-qual;-Wno-restrict;-Werror=objc-method-access>"
      "$<$<COMPILE_LANGUAGE:OBJCXX>:SHELL:-isystem ${HALYARD_GNUSTEP_INCLUDE}>"
      "$<$<COMPILE_LANGUAGE:OBJCXX>:SHELL:-idirafter ${HALYARD_GCC_INCLUDE}>")
  target_link_libraries(halyard_objcxx INTERFACE "${HALYARD_GNUSTEP_BASE}" "${HALYARD_LIBOBJC}")
endif()

# halyard_precompile_objcxx(<target> <header>...)
# Precompiles headers for the Objective-C++ files of a target.
function(halyard_precompile_objcxx target)
  list(TRANSFORM ARGN REPLACE "(.+)" "<\\1$<ANGLE-R>")
  target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:OBJCXX>:${ARGN}>")
  if(CMAKE_OBJCXX_COMPILER_LAUNCHER MATCHES "ccache")
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:OBJCXX>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endfunction()
