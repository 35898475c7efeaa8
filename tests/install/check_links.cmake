# The pages that are installed link only to files that are installed beside them.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

file(GLOB_RECURSE pages "${PREFIX}/share/doc/*.md")
if(NOT pages)
  fail("No pages are installed")
endif()
set(dead "")
foreach(page IN LISTS pages)
  cmake_path(GET page PARENT_PATH folder)
  file(READ "${page}" text)
  string(REGEX REPLACE "```[^`]*```" "" text "${text}") # examples are no links
  # Neither brackets nor semicolons may be left: the elements of a list would not be split at the former, but at the
  # latter.
  string(REPLACE "](" "LINK(" text "${text}")
  string(REGEX REPLACE "[][;]" " " text "${text}")
  string(REGEX MATCHALL "LINK\\([^)#]+" links "${text}")
  foreach(link IN LISTS links)
    string(SUBSTRING "${link}" 5 -1 target)
    if(NOT target MATCHES "^[a-z]+:" AND NOT target MATCHES " " AND NOT EXISTS "${folder}/${target}")
      string(APPEND dead "${page}: ${target}\n")
    endif()
  endforeach()
endforeach()
if(dead)
  fail("The links above lead nowhere" "${dead}")
endif()
