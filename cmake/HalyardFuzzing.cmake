# libFuzzer programs: one for each reader of what others wrote. Needs clang; scripts/fuzz.sh takes care of that.

option(HALYARD_FUZZ "Build the fuzzers (clang with its libFuzzer runtime)" OFF)
option(HALYARD_FUZZ_COVERAGE "Count the lines that the fuzzers reach (scripts/fuzz_coverage.sh)" OFF)
set(HALYARD_FUZZ_EXECUTIONS 20000 CACHE STRING "Executions of each fuzzer when it runs as a test")

# halyard_can_fuzz(<result>)
# Whether HALYARD_FUZZ is on and the compiler is up to it; says so in one line if it is not.
function(halyard_can_fuzz result)
  set(${result} OFF PARENT_SCOPE)
  if(NOT HALYARD_FUZZ)
    return()
  endif()
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -fsanitize=fuzzer)
  set(CMAKE_REQUIRED_QUIET ON)
  check_cxx_source_compiles(
    "extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }"
    HALYARD_COMPILER_HAS_LIBFUZZER)
  if(HALYARD_COMPILER_HAS_LIBFUZZER)
    set(${result} ON PARENT_SCOPE)
  else()
    message(STATUS "Fuzzers: skipped, as ${CMAKE_CXX_COMPILER_ID} has no libFuzzer "
                   "(apt-get install clang libclang-rt-dev, then scripts/fuzz.sh)")
  endif()
endfunction()

# halyard_instrument(<library>): so that fuzzers see which code of it they reach. Programs that write seeds take the same
# library; what it calls for libFuzzer is in the runtime of the sanitizers, and of the coverage.
function(halyard_instrument library)
  target_compile_options(${library} PRIVATE -O2) # an execution should cost what the reader costs
  if(HALYARD_FUZZ_COVERAGE)
    target_compile_options(${library} PRIVATE -fprofile-instr-generate -fcoverage-mapping)
    target_link_options(${library} PUBLIC -fprofile-instr-generate)
  else()
    target_compile_options(${library} PRIVATE -fsanitize=fuzzer-no-link -fsanitize-coverage=trace-pc-guard)
  endif()
endfunction()

# halyard_make_fuzzer(<program> [<KiB>]): part of halyard-fuzzers, with libFuzzer's main(), and with a bound for what each
# input costs: of memory 256 KiB unless told otherwise, and 64 bytes for each of its own. Without where lines are counted.
function(halyard_make_fuzzer program)
  if(NOT TARGET halyard-fuzzers)
    add_custom_target(halyard-fuzzers)
  endif()
  add_dependencies(halyard-fuzzers ${program})
  halyard_instrument(${program})
  target_compile_options(${program} PRIVATE -fsanitize=fuzzer) # also to count lines: libFuzzer stops where it sees no edge
  target_link_options(${program} PRIVATE -fsanitize=fuzzer)
  if(HALYARD_FUZZ_COVERAGE)
    return()
  endif()
  set(free_kib 256 ${ARGN})
  list(GET free_kib -1 free_kib)
  set(cost halyard_input_cost_${free_kib}_kib)
  if(NOT TARGET ${cost})
    add_library(${cost} STATIC "${PROJECT_SOURCE_DIR}/tests/fuzz/input_cost.cpp")
    target_compile_definitions(${cost} PRIVATE HALYARD_FREE_KIB=${free_kib})
  endif()
  target_link_libraries(${program} PRIVATE ${cost})
  foreach(function IN ITEMS LLVMFuzzerTestOneInput __sanitizer_cov_trace_pc_guard __sanitizer_cov_trace_pc_guard_init
                            __asan_memcpy __asan_memmove __asan_memset memcmp bcmp memchr strlen)
    target_link_options(${program} PRIVATE -Wl,--wrap=${function})
  endforeach()
endfunction()

# halyard_add_fuzzer(NAME <name> SOURCES <files>... [SEEDS <files>...] [FREE_KIB <KiB>])
# Adds halyard-<name>-fuzzer, the program halyard-<name>-seeds, which writes the seed corpus into the folder that it is
# given (without SEEDS it is empty), and the test fuzz.<name>. Both programs take what they call from halyard_fuzzed.
function(halyard_add_fuzzer)
  cmake_parse_arguments(arg "" "NAME;FREE_KIB" "SOURCES;SEEDS" ${ARGN})
  set(fuzzer halyard-${arg_NAME}-fuzzer)
  add_executable(${fuzzer} ${arg_SOURCES})
  halyard_make_fuzzer(${fuzzer} ${arg_FREE_KIB})
  target_link_libraries(${fuzzer} PRIVATE halyard_fuzzed)

  set(corpus "${CMAKE_BINARY_DIR}/fuzz-seeds/${arg_NAME}")
  file(MAKE_DIRECTORY "${corpus}")
  if(arg_SEEDS)
    set(seeds halyard-${arg_NAME}-seeds)
    add_executable(${seeds} ${arg_SEEDS})
    target_link_libraries(${seeds} PRIVATE halyard_fuzzed)
    add_custom_command(TARGET ${seeds} POST_BUILD COMMAND ${CMAKE_COMMAND} -E rm -rf "${corpus}"
                       COMMAND ${CMAKE_COMMAND} -E make_directory "${corpus}" COMMAND ${seeds} "${corpus}" VERBATIM)
    add_dependencies(${fuzzer} ${seeds})
  endif()

  add_test(NAME fuzz.${arg_NAME} COMMAND ${fuzzer} -runs=${HALYARD_FUZZ_EXECUTIONS} -seed=1 -timeout=10
                                         "-artifact_prefix=${CMAKE_BINARY_DIR}/" "${corpus}")
  set_tests_properties(fuzz.${arg_NAME} PROPERTIES LABELS fuzz TIMEOUT 600)
endfunction()
