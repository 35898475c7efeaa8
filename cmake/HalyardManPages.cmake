# What goes with a program for people at a terminal: a man page, made of what the program says of itself (help2man;
# without it there is none), and completion in bash.

find_program(HALYARD_HELP2MAN help2man)
mark_as_advanced(HALYARD_HELP2MAN)
set(can_make_man_pages ON)
# Programs that are instrumented, or for another machine, may not start here.
if(HALYARD_SANITIZE OR CMAKE_CROSSCOMPILING)
  set(can_make_man_pages OFF)
elseif(NOT HALYARD_HELP2MAN)
  set(can_make_man_pages OFF)
  message(STATUS "Man pages: skipped, as help2man is not installed (apt-get install help2man)")
endif()
set(HALYARD_CAN_MAKE_MAN_PAGES ${can_make_man_pages})

# halyard_add_man_page(<program> <what it does, for the NAME section>)
function(halyard_add_man_page program description)
  if(NOT HALYARD_CAN_MAKE_MAN_PAGES)
    return()
  endif()
  set(page "${PROJECT_BINARY_DIR}/man/${program}.1")
  add_custom_command(
    OUTPUT "${page}"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${PROJECT_BINARY_DIR}/man"
    COMMAND
      ${CMAKE_COMMAND} -E env LC_ALL=C.UTF-8 "${HALYARD_HELP2MAN}" --no-info --section=1 "--name=${description}"
      "--source=Halyard ${PROJECT_VERSION}" --manual=Halyard "--version-string=${PROJECT_VERSION}" "--output=${page}"
      "$<TARGET_FILE:${program}>"
    DEPENDS ${program}
    COMMENT "Making the man page of ${program}"
    VERBATIM)
  add_custom_target(${program}-man-page ALL DEPENDS "${page}")
  if(HALYARD_INSTALL)
    install(FILES "${page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT halyard-tools)
  endif()
endfunction()

# halyard_install_completion(<program>)
# Bash looks for completions by the name of the program.
function(halyard_install_completion program)
  if(HALYARD_INSTALL)
    install(FILES "${PROJECT_SOURCE_DIR}/tools/completion/halyard.bash"
            DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
            RENAME ${program} COMPONENT halyard-tools)
  endif()
endfunction()
