# Kernels for the simulated vendor runtimes in tests/sim.

# What HALYARD_SIM_KERNELS has to name when a program runs on one of them.
set(HALYARD_SIM_KERNEL_DIR "${CMAKE_BINARY_DIR}/lib/halyard-sim-kernels")

# halyard_add_sim_kernels(TARGET <name> FILES <halx>... [DEPENDS <targets>...])
# Puts the host's code of every vendor image in executable files where the simulated runtimes find it by the image's
# hash. Each file needs a variant for the host beside those for the vendors' devices.
function(halyard_add_sim_kernels)
  cmake_parse_arguments(arg "" "TARGET" "FILES;DEPENDS" ${ARGN})
  set(stamp "${CMAKE_CURRENT_BINARY_DIR}/${arg_TARGET}.stamp")
  add_custom_command(
    OUTPUT "${stamp}"
    COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:halyard-sim-kernels> "${HALYARD_SIM_KERNEL_DIR}" ${arg_FILES}
    COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
    DEPENDS halyard-sim-kernels ${arg_FILES} ${arg_DEPENDS}
    COMMENT "Preparing ${arg_TARGET} for the simulated runtimes"
    VERBATIM)
  add_custom_target(${arg_TARGET} ALL DEPENDS "${stamp}")
endfunction()
