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

# halyard_add_fuzzer(NAME <name> SOURCES <files>... [SEEDS <files>...] [LIBRARIES <targets>...])
# Adds halyard-<name>-fuzzer, which holds the code under test as well, so that all of it is instrumented; the program
# halyard-<name>-seeds, which writes the seed corpus into the folder that it is given (without SEEDS it is empty); and the
# test fuzz.<name>.
function(halyard_add_fuzzer)
  cmake_parse_arguments(arg "" "NAME" "SOURCES;SEEDS;LIBRARIES" ${ARGN})
  set(fuzzer halyard-${arg_NAME}-fuzzer)
  add_executable(${fuzzer} ${arg_SOURCES})
  target_compile_options(${fuzzer} PRIVATE -fsanitize=fuzzer -O2) # an execution should cost what the reader costs
  target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
  if(HALYARD_FUZZ_COVERAGE)
    target_compile_options(${fuzzer} PRIVATE -fprofile-instr-generate -fcoverage-mapping)
    target_link_options(${fuzzer} PRIVATE -fprofile-instr-generate)
  endif()
  target_link_libraries(${fuzzer} PRIVATE ${arg_LIBRARIES})

  set(corpus "${CMAKE_BINARY_DIR}/fuzz-seeds/${arg_NAME}")
  file(MAKE_DIRECTORY "${corpus}")
  if(arg_SEEDS)
    set(seeds halyard-${arg_NAME}-seeds)
    add_executable(${seeds} ${arg_SEEDS})
    target_link_libraries(${seeds} PRIVATE ${arg_LIBRARIES})
    add_custom_command(TARGET ${seeds} POST_BUILD COMMAND ${CMAKE_COMMAND} -E rm -rf "${corpus}"
                       COMMAND ${CMAKE_COMMAND} -E make_directory "${corpus}" COMMAND ${seeds} "${corpus}" VERBATIM)
    add_dependencies(${fuzzer} ${seeds})
  endif()

  if(NOT TARGET halyard-fuzzers)
    add_custom_target(halyard-fuzzers)
  endif()
  add_dependencies(halyard-fuzzers ${fuzzer})
  add_test(NAME fuzz.${arg_NAME} COMMAND ${fuzzer} -runs=${HALYARD_FUZZ_EXECUTIONS} -seed=1 -timeout=10
                                         "-artifact_prefix=${CMAKE_BINARY_DIR}/" "${corpus}")
  set_tests_properties(fuzz.${arg_NAME} PROPERTIES LABELS fuzz TIMEOUT 600)
endfunction()
