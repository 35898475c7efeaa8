# Asks the GoogleTest program PROGRAM for its suites and writes the CTest entries for them to OUTPUT. Each entry runs as
# many of the SUITES one after the other, with ARGUMENTS in the ENVIRONMENT. It is called PREFIX and the suite's name, or the
# first and the last one's. It has LABELS, begins early if its COST is high, fails if its output matches FAIL_ON, and
# leaves its report in the folder REPORTS. EMULATOR is the command that runs programs of another machine, if they are.
execute_process(
  COMMAND ${EMULATOR} "${PROGRAM}" ${ARGUMENTS} --gtest_list_tests
  OUTPUT_VARIABLE listing
  COMMAND_ERROR_IS_FATAL ANY
  TIMEOUT 60)

set(content "")
set(command "")
foreach(word IN LISTS EMULATOR PROGRAM)
  string(APPEND command " \"${word}\"")
endforeach()

# entry(NAME FILTER LABELS TIMEOUT): one CTest entry.
function(entry name filter labels timeout)
  string(MAKE_C_IDENTIFIER "${name}" file)
  set(arguments "")
  foreach(argument IN LISTS ARGUMENTS)
    string(APPEND arguments " \"${argument}\"")
  endforeach()
  set(fail_on "")
  if(FAIL_ON)
    set(fail_on " FAIL_REGULAR_EXPRESSION \"${FAIL_ON}\"")
  endif()
  string(APPEND content
    "add_test(\"${name}\"${command}${arguments}"
    " \"--gtest_brief=1\" \"--gtest_filter=${filter}\" \"--gtest_output=xml:${REPORTS}/${file}.xml\")\n"
    "set_tests_properties(\"${name}\" PROPERTIES LABELS \"${labels}\" TIMEOUT ${timeout}"
    " COST ${COST} ENVIRONMENT \"${ENVIRONMENT}\"${fail_on})\n")
  set(content "${content}" PARENT_SCOPE)
endfunction()

# Adds the entry of the suites that were collected.
macro(finish_process)
  if(collected)
    list(GET collected 0 first)
    list(GET collected -1 last)
    set(name "${PREFIX}${first}")
    if(NOT first STREQUAL last)
      string(APPEND name "-${last}")
    endif()
    list(JOIN collected ".*:" filter)
    entry("${name}" "${filter}.*-*Slow*" "${LABELS}" 600)
  endif()
  set(collected "")
endmacro()

# Takes the suite that was read last: `quick` and `slow` say which kinds of cases it has.
macro(finish_suite)
  if(quick)
    list(APPEND collected "${suite}")
    list(LENGTH collected count)
    if(NOT count LESS SUITES)
      finish_process()
    endif()
  endif()
  if(slow)
    entry("${PREFIX}${suite}.slow" "${suite}.*Slow*" "${LABELS};slow" 1800)
  endif()
  set(quick FALSE)
  set(slow FALSE)
endmacro()

# A suite stands at the beginning of a line and ends with a dot; its cases are indented; comments follow a `#`.
string(REPLACE "\r" "" listing "${listing}") # of a program of Windows
string(REGEX REPLACE "[][;]" "_" listing "${listing}")
string(REPLACE "\n" ";" lines "${listing}")
set(collected "")
set(quick FALSE)
set(slow FALSE)
foreach(line IN LISTS lines)
  if(line MATCHES "^([A-Za-z0-9_/]+)\\.( +#.*)?$")
    finish_suite()
    set(suite "${CMAKE_MATCH_1}")
  elseif(line MATCHES "^  [^ ]*Slow")
    set(slow TRUE)
  elseif(line MATCHES "^  [^ ]")
    set(quick TRUE)
  endif()
endforeach()
finish_suite()
finish_process()
file(WRITE "${OUTPUT}" "${content}")
