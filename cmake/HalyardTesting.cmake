# How GoogleTest programs become CTest entries: one entry per test suite or for several suites, as starting a process
# costs more than most cases do, under sanitizers above all. The entry's own report tells its cases apart (see
# scripts/internal/testing.sh).

# halyard_add_tests(TARGET <program> PREFIX <text> LABELS <labels>... [ARGUMENTS <arguments>...]
#                   [ENVIRONMENT <name=value>...] [COST <number>] [FAIL_ON <regular expression>] [SUITES <number>])
# Registers the suites of a program, which is run with ARGUMENTS in the ENVIRONMENT. Names begin with PREFIX and have that of the
# suite, or of the first and the last of the SUITES (1) that run in one process. Cases named Slow form an entry of their
# own, `<suite>.slow`, which carries the label `slow` as well and may take longer. Entries of a high COST (0) begin
# first, so that nothing waits for them in the end. Output that FAIL_ON matches is a failure.
function(halyard_add_tests)
  cmake_parse_arguments(arg "" "TARGET;PREFIX;COST;FAIL_ON;SUITES" "LABELS;ARGUMENTS;ENVIRONMENT" ${ARGN})
  if(NOT arg_COST)
    set(arg_COST 0)
  endif()
  if(NOT arg_SUITES)
    set(arg_SUITES 1)
  endif()
  string(MAKE_C_IDENTIFIER "${arg_PREFIX}suites" name)
  set(suites "${CMAKE_CURRENT_BINARY_DIR}/${name}.cmake")
  # The program knows its suites; it is asked after every build.
  add_custom_command(
    TARGET ${arg_TARGET} POST_BUILD
    BYPRODUCTS "${suites}"
    COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:${arg_TARGET}>" "-DEMULATOR=${CMAKE_CROSSCOMPILING_EMULATOR}"
            "-DARGUMENTS=${arg_ARGUMENTS}"
            "-DENVIRONMENT=${arg_ENVIRONMENT}" "-DPREFIX=${arg_PREFIX}" "-DLABELS=${arg_LABELS}" "-DREPORTS=${PROJECT_BINARY_DIR}/reports"
            "-DCOST=${arg_COST}" "-DFAIL_ON=${arg_FAIL_ON}" "-DSUITES=${arg_SUITES}"
            "-DOUTPUT=${suites}" -P "${PROJECT_SOURCE_DIR}/cmake/list_suites.cmake"
    VERBATIM)
  set(include "${CMAKE_CURRENT_BINARY_DIR}/${name}_include.cmake")
  file(CONFIGURE OUTPUT "${include}" CONTENT "include(\"${suites}\" OPTIONAL)\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${include}")
endfunction()

# Suites of the conformance suite that run in one process.
set(halyard_cts_suites 24)

# halyard_add_cts(DEVICE <uri> NAME <name> LABELS <labels>... [ARGUMENTS <arguments>...] [ENVIRONMENT <name=value>...]
#                 [FAIL_ON <regular expression>])
# Runs the conformance suite against a device, with further ARGUMENTS, as entries `cts.<name>.*` with the label `cts` besides LABELS.
function(halyard_add_cts)
  cmake_parse_arguments(arg "" "DEVICE;NAME;FAIL_ON" "LABELS;ARGUMENTS;ENVIRONMENT" ${ARGN})
  if(TARGET halyard-cts)
    halyard_add_tests(
      TARGET halyard-cts
      PREFIX "cts.${arg_NAME}."
      LABELS cts ${arg_LABELS}
      ARGUMENTS "--device=${arg_DEVICE}" ${arg_ARGUMENTS}
      ENVIRONMENT ${arg_ENVIRONMENT}
      FAIL_ON "${arg_FAIL_ON}"
      SUITES ${halyard_cts_suites})
  endif()
endfunction()
