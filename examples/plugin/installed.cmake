# A driver outside Halyard's tree, for the installed package: this file is the plugin's CMakeLists.txt.
#
#   cp -r <prefix>/share/doc/halyard/examples/plugin . && cmake -S plugin -B build && cmake --build build
#   ctest --test-dir build
cmake_minimum_required(VERSION 3.21)
project(abacus LANGUAGES C)
set(CMAKE_C_STANDARD 11)
find_package(halyard REQUIRED)

# It includes Halyard's headers and links nothing of it: the program that loads it has the library.
file(GLOB sources CONFIGURE_DEPENDS *.c)
add_library(abacus_driver MODULE ${sources})
set_target_properties(abacus_driver PROPERTIES PREFIX "" SUFFIX ".so" C_VISIBILITY_PRESET hidden)
target_include_directories(abacus_driver PRIVATE $<TARGET_PROPERTY:halyard::halyard,INTERFACE_INCLUDE_DIRECTORIES>)
target_link_options(abacus_driver PRIVATE "LINKER:--no-undefined")

# The conformance suite, of which `filter` takes what the plugin promises, and abacus_exclusions.txt all that it cannot
# do of that.
enable_testing()
find_program(HALYARD_CTS halyard-cts HINTS "${HALYARD_PROGRAM_DIR}" REQUIRED)
set(filter FenceTest.* *FenceSizeTest.* SemaphoreTest.* SemaphoreWaitTest.* SemaphoreListWaitTest.*
    SemaphoreFailureTest.* Timepoint* CallbackTest.* QueueCrowdTest.* QueueOrderingTest.* *QueueContractTest.*)
list(JOIN filter ":" filter)
add_test(
  NAME conformance
  COMMAND "${HALYARD_CTS}" "--plugin=$<TARGET_FILE:abacus_driver>" --device=abacus
          "--exclusions=${CMAKE_CURRENT_SOURCE_DIR}/abacus_exclusions.txt" "--gtest_filter=${filter}" --gtest_brief=1)
