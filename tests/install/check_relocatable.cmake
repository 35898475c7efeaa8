# No text that was installed may name the folders where it was built or first installed, and no binary may look there
# for libraries.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

file(GLOB_RECURSE texts "${PREFIX}/*.cmake" "${PREFIX}/*.pc" "${PREFIX}/*.h")
foreach(text IN LISTS texts)
  file(READ "${text}" content)
  foreach(place IN ITEMS "${BUILD}" "${SOURCE}" "${WORK}")
    # As a whole path: a tree that lies in /halyard is not named by "halyard/halyard.h".
    string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" pattern "${place}")
    if(content MATCHES "(^|-[A-Za-z]|[^A-Za-z0-9_.-])${pattern}([^A-Za-z0-9_.-]|$)")
      message(FATAL_ERROR "${text} names ${place}")
    endif()
  endforeach()
endforeach()

file(GLOB_RECURSE binaries "${PREFIX}/bin/*" "${PREFIX}/*.so*")
foreach(binary IN LISTS binaries)
  run(readelf -d "${binary}")
  if(output MATCHES "(RPATH|RUNPATH)[^\n]*\\[([^\n]*)\\]")
    foreach(place IN ITEMS "${BUILD}" "${WORK}")
      string(FIND "${CMAKE_MATCH_2}" "${place}" position)
      if(NOT position EQUAL -1)
        message(FATAL_ERROR "${binary} looks for libraries in ${CMAKE_MATCH_2}")
      endif()
    endforeach()
  endif()
endforeach()
