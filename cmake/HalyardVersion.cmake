# The version is stated once, in the public header; the build reads it from there.

# Sets `result` to "MAJOR.MINOR.PATCH" as include/halyard/base.h defines it.
function(halyard_read_version result)
  set(header "${CMAKE_CURRENT_SOURCE_DIR}/include/halyard/base.h")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
  set(version "")
  foreach(part IN ITEMS MAJOR MINOR PATCH)
    set(pattern "^#define +HAL_VERSION_${part} +([0-9]+).*$")
    file(STRINGS "${header}" line REGEX "${pattern}")
    if(NOT line)
      message(FATAL_ERROR "${header} does not define HAL_VERSION_${part}")
    endif()
    string(REGEX REPLACE "${pattern}" "\\1" number "${line}")
    list(APPEND version "${number}")
  endforeach()
  list(JOIN version "." version)
  set(${result} "${version}" PARENT_SCOPE)
endfunction()
