# halyard_add_kernels(): one source of kernels, compiled for hosts and devices and packed into one executable file.
# The installed CMake package has it, too. docs/kernels.md describes the language of the source.

set(HALYARD_KERNEL_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}")

# The architectures that kernels are compiled for. PTX runs on all newer devices as well, HSACO on the very one alone.
set(HALYARD_CUDA_ARCHITECTURE sm_70 CACHE STRING "The NVIDIA architecture that PTX is made for, and its successors")
set(HALYARD_HIP_ARCHITECTURES gfx90a gfx942 gfx1100 CACHE STRING "The AMD architectures that kernels are made for")
mark_as_advanced(HALYARD_CUDA_ARCHITECTURE HALYARD_HIP_ARCHITECTURES)

# Clang alone is enough: no file of CUDA or ROCm is used, whether or not they are installed. The version of PTX is held
# down for the sake of older drivers, that of the code object as the newer one adds arguments of its own.
set(halyard_cuda_flags -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-path=/nonexistent
                       --cuda-feature=+ptx64 -std=c++17 -O3 -S)
set(halyard_hip_flags -x hip --cuda-device-only -nogpuinc -nogpulib --no-gpu-bundle-output -mcode-object-version=4
                      -std=c++17 -O3)

# halyard_add_kernels(
#   <name>
#   SOURCE <file>
#   [OUTPUT_DIRECTORY <directory>]
#   [WITHOUT <kind>...]
#   [INSTALL_DESTINATION <directory> [INSTALL_COMPONENT <component>]])
#
# Makes <name>.halx, and with it the images that are in it, for programs that load them without the file:
#
#   <name>.so             for the host, by the project's C++ compiler and flags, or its C compiler if it has no C++
#   <name>.ptx            for NVIDIA devices, by clang; kind ptx
#   <name>.<gfx>.hsaco    for each of HALYARD_HIP_ARCHITECTURES, by clang and lld; kind hsaco
#   <name>.spv            for Vulkan 1.2, by glslang and spirv-link; kind spirv
#   <name>.metal          for Metal, made of the SPIR-V by halyard-pack; kind msl
#   <name>.exports.json   what is exported, as halyard-pack reads it
#
# They lie in OUTPUT_DIRECTORY, by default the current binary directory. The target <name> makes all of them. A kind
# whose compiler is missing, or that stands behind WITHOUT, is left out.
function(halyard_add_kernels name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;OUTPUT_DIRECTORY;INSTALL_DESTINATION;INSTALL_COMPONENT" "WITHOUT")
  if(NOT arg_SOURCE)
    message(FATAL_ERROR "halyard_add_kernels(${name}): SOURCE is missing")
  endif()
  # Languages cannot be enabled for all of a project from within a function.
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(CXX IN_LIST languages)
    set(host_option host)
    set(host_source host.cpp)
  elseif(C IN_LIST languages)
    set(host_option host-c)
    set(host_source host.c)
  else()
    message(FATAL_ERROR "halyard_add_kernels(${name}): kernels for the host are compiled as C++ or C; write "
                        "project(... LANGUAGES CXX) or project(... LANGUAGES C), or call enable_language() before this")
  endif()
  if(NOT arg_OUTPUT_DIRECTORY)
    set(arg_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  cmake_path(ABSOLUTE_PATH arg_SOURCE BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  set(output "${arg_OUTPUT_DIRECTORY}/${name}")
  set(work "${CMAKE_CURRENT_BINARY_DIR}/${name}.kernels")
  file(MAKE_DIRECTORY "${work}" "${arg_OUTPUT_DIRECTORY}")

  halyard_translate_kernels()
  halyard_compile_kernels_for_host()
  set(images "")
  set(pack_arguments "")
  foreach(kind IN ITEMS ptx hsaco spirv msl)
    if(NOT kind IN_LIST arg_WITHOUT)
      cmake_language(CALL halyard_compile_kernels_to_${kind})
    endif()
  endforeach()
  halyard_pack_kernels()

  add_custom_target(${name} ALL DEPENDS "${output}.halx")
  add_dependencies(${name} ${name}_host)
  if(arg_INSTALL_DESTINATION)
    set(component "")
    if(arg_INSTALL_COMPONENT)
      set(component COMPONENT ${arg_INSTALL_COMPONENT})
    endif()
    install(TARGETS ${name}_host LIBRARY DESTINATION "${arg_INSTALL_DESTINATION}" ${component})
    install(FILES ${images} "${output}.exports.json" "${output}.halx"
            DESTINATION "${arg_INSTALL_DESTINATION}" ${component})
  endif()
endfunction()

# The macros below are parts of the function above and use its variables. What they make may replace whatever has its
# name in the build folder (--force): a build that was interrupted, or another version's, leaves files of any kind.

# The source in the languages of the compilers.
macro(halyard_translate_kernels)
  halyard_find_kernel_tool(translator halyard-kernels)
  add_custom_command(
    OUTPUT "${work}/${host_source}" "${work}/gpu.cu" "${output}.exports.json" "${work}/glsl.stamp"
    COMMAND ${translator} "--source=${arg_SOURCE}" "--${host_option}=${work}/${host_source}"
            "--gpu=${work}/gpu.cu" "--glsl=${work}/glsl" "--exports=${output}.exports.json" --force
    COMMAND "${CMAKE_COMMAND}" -E touch "${work}/glsl.stamp"
    DEPENDS "${arg_SOURCE}" ${translator_target}
    COMMENT "Translating the kernels of ${name}"
    VERBATIM)
endmacro()

macro(halyard_compile_kernels_for_host)
  add_library(${name}_host MODULE "${work}/${host_source}")
  if(host_source STREQUAL "host.c")
    target_compile_features(${name}_host PRIVATE c_std_11)
    # Functions of a source may be named like those of the C library, of which it uses none.
    target_compile_options(${name}_host PRIVATE $<$<C_COMPILER_ID:GNU,Clang,AppleClang>:-fno-builtin>)
  else()
    target_compile_features(${name}_host PRIVATE cxx_std_17)
  endif()
  set_target_properties(
    ${name}_host
    PROPERTIES PREFIX "" SUFFIX ".so" OUTPUT_NAME "${name}" INSTALL_RPATH "" C_VISIBILITY_PRESET hidden
               CXX_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY "${arg_OUTPUT_DIRECTORY}")
  if(TARGET halyard_headers)
    target_link_libraries(${name}_host PRIVATE halyard_headers)
  else()
    target_include_directories(
      ${name}_host PRIVATE $<TARGET_PROPERTY:halyard::halyard,INTERFACE_INCLUDE_DIRECTORIES>)
  endif()
endmacro()

# halyard_compile_kernels_by(<file> <depends> <command>...)
macro(halyard_compile_kernels_by image depends)
  add_custom_command(
    OUTPUT "${image}"
    COMMAND ${ARGN}
    DEPENDS ${depends}
    COMMENT "Compiling ${image}"
    VERBATIM)
  list(APPEND images "${image}")
endmacro()

macro(halyard_compile_kernels_to_ptx)
  halyard_find_gpu_clang(HALYARD_CUDA_CLANG ptx "clang-19" ${halyard_cuda_flags}
                         --cuda-gpu-arch=${HALYARD_CUDA_ARCHITECTURE})
  if(HALYARD_CUDA_CLANG)
    halyard_compile_kernels_by("${output}.ptx" "${work}/gpu.cu" "${HALYARD_CUDA_CLANG}" ${halyard_cuda_flags}
                               --cuda-gpu-arch=${HALYARD_CUDA_ARCHITECTURE} "${work}/gpu.cu" -o "${output}.ptx")
    list(APPEND pack_arguments "--cuda=${output}.ptx")
  endif()
endmacro()

macro(halyard_compile_kernels_to_hsaco)
  list(JOIN HALYARD_HIP_ARCHITECTURES " " architectures)
  set(offload ${HALYARD_HIP_ARCHITECTURES})
  list(TRANSFORM offload PREPEND --offload-arch=)
  list(GET offload -1 newest)
  halyard_find_gpu_clang(HALYARD_HIP_CLANG hsaco "clang-19 lld-19" ${halyard_hip_flags} ${newest})
  if(HALYARD_HIP_CLANG)
    foreach(architecture IN LISTS HALYARD_HIP_ARCHITECTURES)
      halyard_compile_kernels_by(
        "${output}.${architecture}.hsaco" "${work}/gpu.cu" "${HALYARD_HIP_CLANG}" ${halyard_hip_flags}
        --offload-arch=${architecture} "${work}/gpu.cu" -o "${output}.${architecture}.hsaco")
      list(APPEND pack_arguments "--hip=${architecture}:${output}.${architecture}.hsaco")
    endforeach()
  endif()
endmacro()

macro(halyard_compile_kernels_to_spirv)
  find_program(HALYARD_GLSLANG NAMES glslangValidator glslang)
  find_program(HALYARD_SPIRV_OPT spirv-opt)
  find_program(HALYARD_SPIRV_LINK spirv-link)
  mark_as_advanced(HALYARD_GLSLANG HALYARD_SPIRV_OPT HALYARD_SPIRV_LINK)
  if(HALYARD_GLSLANG AND HALYARD_SPIRV_OPT AND HALYARD_SPIRV_LINK)
    halyard_compile_kernels_by(
      "${output}.spv" "${work}/glsl.stamp;${HALYARD_KERNEL_SCRIPTS}/halyard_compile_spirv.cmake" "${CMAKE_COMMAND}"
      "-DGLSLANG=${HALYARD_GLSLANG}" "-DSPIRV_OPT=${HALYARD_SPIRV_OPT}" "-DSPIRV_LINK=${HALYARD_SPIRV_LINK}"
      "-DFOLDER=${work}/glsl" "-DOUTPUT=${output}.spv" -P "${HALYARD_KERNEL_SCRIPTS}/halyard_compile_spirv.cmake")
    list(APPEND pack_arguments "--spirv=${output}.spv")
  else()
    halyard_say_kernels_lack(spirv "glslang-tools spirv-tools")
  endif()
endmacro()

# Made of the SPIR-V, without which there is none.
macro(halyard_compile_kernels_to_msl)
  if(TARGET halyard-pack)
    set(halyard_translates ${HALYARD_HAS_SPIRV})
  else()
    set(halyard_translates ${HALYARD_PACK_HAS_SPIRV})
  endif()
  if(NOT halyard_translates)
    halyard_say_kernels_lack(msl "libspirv-cross-c-shared-dev spirv-tools")
  elseif("${output}.spv" IN_LIST images)
    halyard_find_kernel_tool(packer halyard-pack)
    halyard_compile_kernels_by("${output}.metal" "${output}.spv;${packer_target}" ${packer}
                               "--translate=${output}.spv" "--output=${output}.metal" --force)
    list(APPEND pack_arguments "--metal=${output}.metal")
  endif()
endmacro()

macro(halyard_pack_kernels)
  halyard_find_kernel_tool(packer halyard-pack)
  add_custom_command(
    OUTPUT "${output}.halx"
    COMMAND ${packer} "--local=$<TARGET_FILE:${name}_host>" ${pack_arguments} "--exports=${output}.exports.json"
            "--output=${output}.halx" --force
    DEPENDS ${name}_host ${images} "${output}.exports.json" ${packer_target}
    COMMENT "Packing ${name}.halx"
    VERBATIM)
endmacro()

# halyard_find_kernel_tool(<variable> <program>)
# The command that starts one of Halyard's programs, and in <variable>_target what it depends on.
macro(halyard_find_kernel_tool variable program)
  if(TARGET ${program})
    set(${variable} ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${program}>)
    set(${variable}_target ${program})
  else()
    string(MAKE_C_IDENTIFIER "HALYARD_PROGRAM_${program}" halyard_cache_name)
    find_program(${halyard_cache_name} ${program} HINTS "${HALYARD_PROGRAM_DIR}" REQUIRED)
    mark_as_advanced(${halyard_cache_name})
    set(${variable} "${${halyard_cache_name}}")
    set(${variable}_target "")
  endif()
endmacro()

# halyard_find_gpu_clang(<cache variable> <kind> <packages> <flags>...)
# The first clang that compiles a kernel with these flags. What was found stays; what was not is looked for each time that
# CMake runs, as it may have been installed since.
function(halyard_find_gpu_clang variable kind packages)
  get_property(tried GLOBAL PROPERTY HALYARD_TRIED_${variable})
  if(NOT ${variable} AND NOT tried)
    set_property(GLOBAL PROPERTY HALYARD_TRIED_${variable} ON)
    set(probe "${CMAKE_BINARY_DIR}/CMakeFiles/halyard_probe.${kind}")
    file(WRITE "${probe}.cu" "extern \"C\" __attribute__((global)) void probe() {}\n")
    foreach(clang IN ITEMS clang++-19 clang-19 clang++-20 clang-20 clang++-21 clang-21 clang++-22 clang-22 clang++-18 clang-18
            clang++ clang)
      find_program(candidate ${clang} NO_CACHE)
      if(candidate)
        execute_process(COMMAND "${candidate}" ${ARGN} "${probe}.cu" -o "${probe}.out" RESULT_VARIABLE result
                        OUTPUT_QUIET ERROR_QUIET)
        if(result EQUAL 0)
          break()
        endif()
      endif()
      unset(candidate)
    endforeach()
    if(NOT candidate)
      set(candidate "${variable}-NOTFOUND")
    endif()
    set(${variable} "${candidate}" CACHE FILEPATH "The clang that compiles kernels to ${kind}" FORCE)
    mark_as_advanced(${variable})
  endif()
  if(NOT ${variable})
    halyard_say_kernels_lack(${kind} "${packages}")
  endif()
endfunction()

# halyard_say_kernels_lack(<kind> <packages>)
# One line for each kind, however many sources there are.
function(halyard_say_kernels_lack kind packages)
  get_property(said GLOBAL PROPERTY HALYARD_KERNELS_LACK_${kind})
  if(NOT said)
    message(STATUS "Kernels: no ${kind}, as its compiler was not found (apt-get install ${packages})")
    set_property(GLOBAL PROPERTY HALYARD_KERNELS_LACK_${kind} ON)
  endif()
endfunction()
