# The MLIR tools of this machine.

# The machines whose registers the library knows, and so calls functions on: src/function/native_call.h.
set(HALYARD_CALLS_FUNCTIONS OFF)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|aarch64)$")
  set(HALYARD_CALLS_FUNCTIONS ON)
endif()

# halyard_find_mlir(<variable>)
# Sets a variable to the versions from 22 to 16 of which mlir-opt, mlir-translate and clang are installed.
function(halyard_find_mlir variable)
  set(versions "")
  foreach(version IN ITEMS 22 21 20 19 18 17 16)
    find_program(HALYARD_MLIR_OPT_${version} mlir-opt-${version})
    find_program(HALYARD_MLIR_TRANSLATE_${version} mlir-translate-${version})
    find_program(HALYARD_MLIR_CLANG_${version} clang-${version})
    mark_as_advanced(HALYARD_MLIR_OPT_${version} HALYARD_MLIR_TRANSLATE_${version} HALYARD_MLIR_CLANG_${version})
    if(HALYARD_MLIR_OPT_${version}
       AND HALYARD_MLIR_TRANSLATE_${version}
       AND HALYARD_MLIR_CLANG_${version})
      list(APPEND versions ${version})
    endif()
  endforeach()
  set(${variable} "${versions}" PARENT_SCOPE)
endfunction()
