# Writes a CTest file to OUTPUT with one test for each line that PROGRAM --list-faults prints.
execute_process(COMMAND "${PROGRAM}" --list-faults OUTPUT_VARIABLE faults COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" faults "${faults}")
set(content "")
foreach(fault IN LISTS faults)
  string(REGEX REPLACE " .*" "" name "${fault}")
  string(APPEND content "add_test(\"faults.${name}\" \"${PROGRAM}\" \"--fault=${name}\")\n"
                        "set_tests_properties(\"faults.${name}\" PROPERTIES LABELS \"cts;faults\" TIMEOUT 120)\n")
endforeach()
file(WRITE "${OUTPUT}" "${content}")
