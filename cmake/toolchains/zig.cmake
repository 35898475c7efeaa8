# Any machine that Zig's compiler knows, with its C and C++ libraries: HALYARD_ZIG is the program, HALYARD_ZIG_TARGET its
# name for the machine, as x86_64-linux-musl or riscv64-linux-gnu. `pip install ziglang` installs it (scripts/cross.sh).
if(NOT HALYARD_ZIG OR NOT HALYARD_ZIG_TARGET)
  message(FATAL_ERROR "zig.cmake: set HALYARD_ZIG and HALYARD_ZIG_TARGET")
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HALYARD_ZIG HALYARD_ZIG_TARGET)
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR "${HALYARD_ZIG_TARGET}")
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER "${HALYARD_ZIG}" cc "--target=${HALYARD_ZIG_TARGET}")
set(CMAKE_CXX_COMPILER "${HALYARD_ZIG}" c++ "--target=${HALYARD_ZIG_TARGET}")
# Not this machine's libraries. Headers that no machine differs in are given one by one.
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
