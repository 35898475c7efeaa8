# How GoogleTest programs become CTest entries: one entry per case, so that a crash costs one case and `ctest -R`
# reaches each.

include(GoogleTest)

# halyard_add_tests(TARGET <program> PREFIX <text> LABELS <labels>... [ARGUMENTS <arguments>...])
# Registers the cases of a program, which is run with ARGUMENTS. Names begin with PREFIX. Cases named Slow carry
# the label `slow` as well and may take longer.
function(halyard_add_tests)
  cmake_parse_arguments(arg "" "TARGET;PREFIX" "LABELS;ARGUMENTS" ${ARGN})
  string(MAKE_C_IDENTIFIER "${arg_PREFIX}TESTS" tests)
  gtest_discover_tests(
    ${arg_TARGET}
    TEST_PREFIX "${arg_PREFIX}"
    TEST_LIST ${tests}
    EXTRA_ARGS ${arg_ARGUMENTS}
    PROPERTIES TIMEOUT 120
    NO_PRETTY_TYPES NO_PRETTY_VALUES
    DISCOVERY_TIMEOUT 60)
  # gtest_discover_tests() takes lists apart, so it cannot set two labels; this runs right after it in CTest.
  set(labels "${arg_LABELS}")
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${tests}_labels.cmake")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/test_labels.cmake.in" "${script}" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
endfunction()

# halyard_add_cts(DEVICE <uri> NAME <name> LABELS <labels>...)
# Runs the conformance suite against a device, as cases `cts.<name>.*` with the label `cts` besides LABELS.
function(halyard_add_cts)
  cmake_parse_arguments(arg "" "DEVICE;NAME" "LABELS" ${ARGN})
  if(TARGET halyard-cts)
    halyard_add_tests(
      TARGET halyard-cts
      PREFIX "cts.${arg_NAME}."
      LABELS cts ${arg_LABELS}
      ARGUMENTS "--device=${arg_DEVICE}")
  endif()
endfunction()
