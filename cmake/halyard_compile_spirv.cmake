# Compiles the kernels in FOLDER, one file of GLSL each, to one module with an entry point for each:
#   cmake -DGLSLANG=… -DSPIRV_OPT=… -DSPIRV_LINK=… -DFOLDER=… -DOUTPUT=… -P halyard_compile_spirv.cmake

# run(<command>...): what the program says is shown only if it fails; glslang names every file that it compiles.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT result EQUAL 0)
    message("${text}")
    message(FATAL_ERROR "Failed: ${ARGN}")
  endif()
endfunction()

file(GLOB sources "${FOLDER}/*.comp")
set(modules "")
foreach(source IN LISTS sources)
  cmake_path(GET source STEM kernel)
  run("${GLSLANG}" -S comp --target-env vulkan1.2 -e ${kernel} --source-entrypoint main "${source}" -o "${source}.spv")
  # Also takes out a constant for the size of a workgroup that glslang adds: it would hold for all kernels of the module.
  run("${SPIRV_OPT}" --eliminate-dead-const "${source}.spv" -o "${source}.spv")
  list(APPEND modules "${source}.spv")
endforeach()
run("${SPIRV_LINK}" --target-env vulkan1.2 ${modules} -o "${OUTPUT}")
