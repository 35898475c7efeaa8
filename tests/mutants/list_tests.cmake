# Writes a CTest file to OUTPUT with one test for each line that PROGRAM --list-mutants prints.
execute_process(COMMAND "${PROGRAM}" --list-mutants OUTPUT_VARIABLE mutants COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" mutants "${mutants}")
set(content "")
foreach(mutant IN LISTS mutants)
  string(REGEX REPLACE " .*" "" name "${mutant}")
  string(APPEND content "add_test(\"mutants.${name}\" \"${PROGRAM}\" \"--mutant=${name}\")\n"
                        "set_tests_properties(\"mutants.${name}\" PROPERTIES LABELS \"cts;mutants\" TIMEOUT 120)\n")
endforeach()
file(WRITE "${OUTPUT}" "${content}")
