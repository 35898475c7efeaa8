# Linux on any machine that Zig's compiler knows, with its C and C++ libraries. HALYARD_ZIG_TARGET is Zig's name of the
# machine, as x86_64-linux-musl; scripts/internal/zig.sh installs the compiler for it.
if(NOT HALYARD_ZIG_TARGET)
  message(FATAL_ERROR "zig.cmake: set HALYARD_ZIG_TARGET, as x86_64-linux-musl")
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HALYARD_ZIG_TARGET)
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR "${HALYARD_ZIG_TARGET}")
set(CMAKE_SYSTEM_NAME Linux)
cmake_path(SET zig NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../build/zig/${HALYARD_ZIG_TARGET}")
set(CMAKE_C_COMPILER "${zig}/clang")
set(CMAKE_CXX_COMPILER "${zig}/clang++")
set(CMAKE_AR "${zig}/ar")
set(CMAKE_RANLIB "${zig}/ranlib")
# Zig adds traps to what is not optimised, and debug information. A program has a loader only if a shared library is
# linked: here is one, which is dropped again as nothing needs it.
set(CMAKE_C_FLAGS_INIT "-fno-sanitize=undefined -g0")
set(CMAKE_CXX_FLAGS_INIT "-fno-sanitize=undefined -g0")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--as-needed ${zig}/libloader.so")
# Not this machine's libraries. Its headers are the same for each machine (third_party/CMakeLists.txt names them).
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
