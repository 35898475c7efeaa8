# Precompiled headers, which make a build from nothing cheaper. Tools and tests always have them, the libraries if the
# option is on: with GCC they cost warnings (tools/CMakeLists.txt says which). The files include what they need all the
# same: scripts/tidy.sh reads them without.

option(HALYARD_PRECOMPILE_HEADERS "Precompile the standard headers for the libraries, as the sanitizer presets do" OFF)
# ccache caches a compilation from a precompiled header under two conditions. GCC must name the header in its output;
# Clang must make the same precompiled header of the same headers.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endif()

set(halyard_standard_headers
    <algorithm> <array> <atomic> <charconv> <chrono> <condition_variable> <cstdint> <cstdio> <cstring> <functional>
    <map> <memory> <mutex> <new> <optional> <span> <sstream> <string> <string_view> <thread> <unordered_map> <utility>
    <vector>)

# halyard_make_precompiled(<name> <headers>...)
# Precompiles headers with the directory's flags, for libraries that are position independent everywhere
# (<name>_libraries), and for programs and what is linked into them alone (<name>_programs).
function(halyard_make_precompiled name)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "int main() {}\n")
  add_library(${name}_libraries OBJECT EXCLUDE_FROM_ALL "${source}")
  add_executable(${name}_programs EXCLUDE_FROM_ALL "${source}")
  foreach(target IN ITEMS ${name}_libraries ${name}_programs)
    target_link_libraries(${target} PRIVATE Threads::Threads)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endforeach()
endfunction()

# halyard_use_precompiled(<name> <target>)
# Has a target of C++ sources alone start from what halyard_make_precompiled(<name>) made, if that was called.
function(halyard_use_precompiled name target)
  get_target_property(type ${target} TYPE)
  get_target_property(is_independent ${target} POSITION_INDEPENDENT_CODE)
  set(kind programs)
  if(is_independent AND NOT type STREQUAL "EXECUTABLE")
    set(kind libraries)
  endif()
  if(TARGET ${name}_${kind})
    target_precompile_headers(${target} REUSE_FROM ${name}_${kind})
  endif()
endfunction()
