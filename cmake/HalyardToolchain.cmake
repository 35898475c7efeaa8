# Languages, output folders, visibility and warnings: what holds for every target of the project.

set(CMAKE_C_STANDARD 11)
set(CMAKE_CXX_STANDARD 20)
foreach(language IN ITEMS C CXX)
  set(CMAKE_${language}_STANDARD_REQUIRED ON)
  set(CMAKE_${language}_EXTENSIONS OFF)
  set(CMAKE_${language}_VISIBILITY_PRESET hidden)
endforeach()
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release)
  endif()
  # Installed programs find the library beside them, wherever the prefix is moved to.
  file(RELATIVE_PATH libraries_from_programs "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  if(APPLE)
    set(CMAKE_INSTALL_RPATH "@loader_path/${libraries_from_programs}")
  else()
    set(CMAKE_INSTALL_RPATH "$ORIGIN/${libraries_from_programs}")
  endif()
endif()

# Fast enough for the whole suite, and stack traces still name every frame and line, if no variables.
set(CMAKE_C_FLAGS_SANITIZE "-O1 -g1 -fno-omit-frame-pointer")
set(CMAKE_CXX_FLAGS_SANITIZE "${CMAKE_C_FLAGS_SANITIZE} -D_GLIBCXX_ASSERTIONS")

add_compile_options(
  -Wall -Wextra -Wpedantic -Wshadow -Wundef -Wcast-qual -Wformat=2
  -Wconversion -Wno-sign-conversion # narrowing is worth a cast; changing the sign of a count is not
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
  $<$<COMPILE_LANGUAGE:CXX>:-Wextra-semi>
  $<$<BOOL:${HALYARD_WERROR}>:-Werror>)

# mingw-w64 takes every format for one of Microsoft's printf, though its C++ library calls another. Other builds check them.
if(MINGW)
  add_compile_options(-Wno-format)
endif()

# Clang sees std::stable_sort of libstdc++ use what C++20 deprecates.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)
endif()

# GCC 12 warns of overlapping copies inside its own std::string (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
# On AArch64 GCC 12 takes an object for NULL whose method it calls by a constant pointer to it.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-nonnull>)
endif()
# GCC 13 takes a reference to what a temporary view points to for one into the view (GCC bug 108165).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-dangling-reference>)
endif()
