# Installs every component by itself. A rule without a component would be part of `cmake --install`, but of no package.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

set(parts "${WORK}/components")
file(REMOVE_RECURSE "${parts}")
foreach(component IN ITEMS halyard halyard-dev halyard-tools)
  run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${parts}" --component ${component})
endforeach()

foreach(folder IN ITEMS PREFIX parts)
  file(GLOB_RECURSE files_${folder} LIST_DIRECTORIES false RELATIVE "${${folder}}" "${${folder}}/*")
endforeach()
set(missing ${files_PREFIX})
list(REMOVE_ITEM missing ${files_parts})
if(missing)
  list(JOIN missing "\n  " missing)
  message(FATAL_ERROR "These are installed, but belong to none of the components of the packages:\n  ${missing}")
endif()
