# The installed conformance suite finds its kernels beside it: the suite that runs kernels, on the device that is
# always there.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

if(NOT EXISTS "${PREFIX}/lib/halyard/kernels/cts_basic.so")
  message(FATAL_ERROR "The suite's kernels are not installed; halyard-cts would take those of the build tree")
endif()
run("${PREFIX}/bin/halyard-cts" --device=local://sync --gtest_brief=1 "--gtest_filter=*DispatchTest.*")
expect_output("[  PASSED  ]")
