# Runs a program and checks how it ends:
#   cmake -DEXIT=<code> -DOUTPUT=<regular expression> -P check_run.cmake -- <program> [arguments…]

set(command)
set(seen_separator FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(seen_separator)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(seen_separator TRUE)
  endif()
endforeach()

execute_process(COMMAND ${command} RESULT_VARIABLE exit OUTPUT_VARIABLE output ERROR_VARIABLE output)
message("${output}")
if(NOT exit STREQUAL EXIT)
  message(FATAL_ERROR "ended with ${exit}, not with ${EXIT}")
endif()
if(NOT output MATCHES "${OUTPUT}")
  message(FATAL_ERROR "the output does not match: ${OUTPUT}")
endif()
