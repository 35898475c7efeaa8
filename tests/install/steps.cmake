# What the scripts of this folder share: run something quietly, and look at which library a program loads.

# fail(<text> [<output>]): ends the test. What a program printed stands first and as it is; CMake would fill paragraphs.
function(fail text)
  if(ARGN)
    message("${ARGN}\n")
  endif()
  message(FATAL_ERROR "${text}")
endfunction()

# run(<command>...): shows the command and all that it printed if it fails. Leaves the output in `output`.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result STREQUAL "0")
    list(JOIN ARGN " " command)
    fail("This failed (${result}), see above" "$ ${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# expect_output(<text>): the last run() printed that.
function(expect_output text)
  string(FIND "${output}" "${text}" position)
  if(position EQUAL -1)
    fail("The output above should contain '${text}'" "${output}")
  endif()
endfunction()

# loaded_library(<result> <program>): the path of the shared library halyard that the program loads; empty if none.
function(loaded_library result program)
  run(ldd "${program}")
  set(library "")
  if(output MATCHES "libhalyard\\.so[^ ]* => ([^\n]+)( \\(|\n)")
    string(REGEX REPLACE " \\(.*" "" library "${CMAKE_MATCH_1}")
    cmake_path(NORMAL_PATH library)
  endif()
  set(${result} "${library}" PARENT_SCOPE)
endfunction()

# expect_linkage(<program> shared|static): it loads the library of the moved prefix, or none.
function(expect_linkage program linkage)
  loaded_library(library "${program}")
  cmake_path(IS_PREFIX PREFIX "${library}" is_ours)
  if(linkage STREQUAL "shared" AND NOT is_ours)
    message(FATAL_ERROR "${program} should load the library in ${PREFIX}, but loads '${library}'")
  elseif(linkage STREQUAL "static" AND library)
    message(FATAL_ERROR "${program} was to be linked statically, but loads '${library}'")
  endif()
endfunction()

# run_consumer(<program>): it runs, and prints what it should.
function(run_consumer program)
  run("${program}" local://sync)
  if(LANGUAGE STREQUAL "c")
    expect_output("filled and read back")
  else()
    expect_output("halyard ${VERSION}: the queue called back")
  endif()
endfunction()
