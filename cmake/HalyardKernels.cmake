# Kernels for the local driver: shared objects that a program loads at run time.

# Where the build puts them. Installed copies lie in lib/halyard/kernels, which programs look for relative to
# their own place (../lib/halyard/kernels).
set(HALYARD_KERNEL_DIR "${CMAKE_BINARY_DIR}/lib/halyard-kernels")

# halyard_add_local_kernels(TARGET <name> SOURCES <files>... [INSTALL])
# Compiles C or C++ files to <name>.so. Only what halyard/local_kernel.h marks as exported is visible. Under
# sanitizers the kernels are instrumented too: a missing wait between two dispatches is then a reported race.
function(halyard_add_local_kernels)
  cmake_parse_arguments(arg "INSTALL" "TARGET" "SOURCES" ${ARGN})
  add_library(${arg_TARGET} MODULE ${arg_SOURCES})
  set_target_properties(
    ${arg_TARGET} PROPERTIES PREFIX "" SUFFIX ".so" INSTALL_RPATH "" LIBRARY_OUTPUT_DIRECTORY "${HALYARD_KERNEL_DIR}")
  target_link_libraries(${arg_TARGET} PRIVATE halyard_headers)
  if(arg_INSTALL AND HALYARD_INSTALL)
    install(
      TARGETS ${arg_TARGET}
      LIBRARY DESTINATION lib/halyard/kernels COMPONENT halyard-tools)
  endif()
endfunction()
