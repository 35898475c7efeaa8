# The few kinds of target there are, each with one function.

# halyard_find_sources(<result> <pattern>...)
# Lists the files of this directory that match, looking again at every build: adding a file needs no edit here.
function(halyard_find_sources result)
  file(GLOB sources CONFIGURE_DEPENDS ${ARGN})
  set(${result} "${sources}" PARENT_SCOPE)
endfunction()

option(HALYARD_COMBINE_SOURCES "Compile the sources of each folder as one" ON)

# halyard_combine_sources(<target>)
# Compiles the sources of this target that lie in one folder as one; below src and drivers, those of one room
# (docs/architecture.md). A build from nothing then reads the common headers once for each, and functions are inlined
# into each other. A source with options of its own stays alone. The public functions stay by folder: GCC inlines less in
# a large unit, and a barrier took 20 instructions more.
function(halyard_combine_sources target)
  if(NOT HALYARD_COMBINE_SOURCES)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    if(NOT folder MATCHES "^src/core" AND folder MATCHES "^(src|drivers)/[^/]+")
      set(folder "${CMAKE_MATCH_0}")
    endif()
    string(REPLACE "/" "_" group "${folder}")
    set_property(SOURCE "${source}" PROPERTY UNITY_GROUP "${group}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# halyard_add_program(NAME <name> SOURCES <files>... [LIBRARIES <targets>...] [INSTALL])
# Adds a program under build/<preset>/bin. A directory that holds no source yet adds none.
function(halyard_add_program)
  cmake_parse_arguments(arg "INSTALL" "NAME" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT arg_SOURCES)
    message(STATUS "${arg_NAME}: no sources yet")
    return()
  endif()
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE ${arg_LIBRARIES})
  if(arg_INSTALL AND HALYARD_INSTALL)
    install(TARGETS ${arg_NAME} RUNTIME COMPONENT halyard-tools)
  endif()
endfunction()

# halyard_add_subdirectories([EXCEPT <names>...])
# Enters every subdirectory that has a CMakeLists.txt, was not entered yet and is not excepted.
function(halyard_add_subdirectories)
  cmake_parse_arguments(arg "" "" "EXCEPT" ${ARGN})
  get_property(entered DIRECTORY PROPERTY SUBDIRECTORIES)
  file(GLOB lists CONFIGURE_DEPENDS */CMakeLists.txt)
  foreach(list IN LISTS lists)
    cmake_path(GET list PARENT_PATH directory)
    cmake_path(GET directory FILENAME name)
    if(NOT directory IN_LIST entered AND NOT name IN_LIST arg_EXCEPT)
      add_subdirectory("${directory}")
    endif()
  endforeach()
endfunction()
