# Kernels that a program loads at run time: those of one source for all devices, and those for the local driver alone.

include(HalyardAddKernels)

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

# halyard_add_portable_kernels(<name> SOURCE <file> [WITHOUT <kind>...] [INSTALL])
# halyard_add_kernels() with the places of this project.
function(halyard_add_portable_kernels name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "INSTALL" "" "")
  set(install "")
  if(arg_INSTALL AND HALYARD_INSTALL)
    set(install INSTALL_DESTINATION lib/halyard/kernels INSTALL_COMPONENT halyard-tools)
  endif()
  halyard_add_kernels(${name} ${arg_UNPARSED_ARGUMENTS} OUTPUT_DIRECTORY "${HALYARD_KERNEL_DIR}" ${install})
endfunction()

# halyard_add_executable_file(NAME <name> EXPORTS <json> LOCAL <target> [INSTALL])
# Packs the kernels of halyard_add_local_kernels() and the description of their exports into <name>.halx, with the
# target <name>_halx. It lies where the kernels lie.
function(halyard_add_executable_file)
  cmake_parse_arguments(arg "INSTALL" "NAME;EXPORTS;LOCAL" "" ${ARGN})
  set(exports "${CMAKE_CURRENT_SOURCE_DIR}/${arg_EXPORTS}")
  set(file "${HALYARD_KERNEL_DIR}/${arg_NAME}.halx")
  add_custom_command(
    OUTPUT "${file}"
    COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:halyard-pack> "--local=$<TARGET_FILE:${arg_LOCAL}>"
            "--exports=${exports}" "--output=${file}" --force
    DEPENDS halyard-pack ${arg_LOCAL} "${exports}"
    COMMENT "Packing ${arg_NAME}.halx"
    VERBATIM)
  add_custom_target(${arg_NAME}_halx ALL DEPENDS "${file}")
  if(arg_INSTALL AND HALYARD_INSTALL)
    install(FILES "${file}" DESTINATION lib/halyard/kernels COMPONENT halyard-tools)
  endif()
endfunction()

# halyard_add_mlir_executable_file(NAME <name> MLIR <file> VERSION <number> [OPTIONS <options of halyard-pack>...])
# Compiles a module with the MLIR tools of a version (see halyard_find_mlir) and packs it into <name>.halx, with the
# target <name>_halx. It lies where the kernels lie.
function(halyard_add_mlir_executable_file)
  cmake_parse_arguments(arg "" "NAME;MLIR;VERSION" "OPTIONS" ${ARGN})
  set(module "${CMAKE_CURRENT_SOURCE_DIR}/${arg_MLIR}")
  set(file "${HALYARD_KERNEL_DIR}/${arg_NAME}.halx")
  add_custom_command(
    OUTPUT "${file}"
    COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:halyard-pack> "--mlir=${module}"
            "--mlir-version=${arg_VERSION}" ${arg_OPTIONS} "--output=${file}"
    DEPENDS halyard-pack "${module}"
    COMMENT "Compiling ${arg_MLIR} with MLIR ${arg_VERSION}"
    VERBATIM)
  add_custom_target(${arg_NAME}_halx ALL DEPENDS "${file}")
endfunction()
