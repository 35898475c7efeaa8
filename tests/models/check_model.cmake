# Checks MODEL with SPIN in FOLDER, compiled by COMPILER: every order of steps must be right, or, with a definition BREAK,
# some must be wrong.
file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
set(definition "")
if(BREAK)
  set(definition "-D${BREAK}")
endif()
execute_process(COMMAND "${SPIN}" ${definition} -a "${MODEL}" WORKING_DIRECTORY "${FOLDER}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${COMPILER}" -O2 -w -DSAFETY -o pan pan.c WORKING_DIRECTORY "${FOLDER}"
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${FOLDER}/pan" -m10000 WORKING_DIRECTORY "${FOLDER}" OUTPUT_VARIABLE output
                COMMAND_ERROR_IS_FATAL ANY)
if(output MATCHES "max search depth too small|out of memory" OR NOT output MATCHES "errors: ([0-9]+)")
  message(FATAL_ERROR "the search came to no end:\n${output}")
endif()
set(errors "${CMAKE_MATCH_1}")
if(BREAK AND errors EQUAL 0)
  message(FATAL_ERROR "the model does not notice ${BREAK}:\n${output}")
elseif(NOT BREAK AND NOT errors EQUAL 0)
  message(FATAL_ERROR "the model is wrong; 'spin -t -p -g ${MODEL}' in ${FOLDER} shows how it comes to that:\n${output}")
endif()
