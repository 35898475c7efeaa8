# What `cmake --install` puts in place. Every path is relative to the prefix, so the folder may be moved afterwards.
#
#   component        holds                                                     becomes the Debian package
#   halyard          the shared library, the licence                           halyard
#   halyard-dev      headers, static library, CMake package, pkg-config files, halyard-dev
#                    documentation, sources of the examples
#   halyard-tools    programs, their kernels and man pages                     halyard-tools
#
#   find_package(halyard)                     gives halyard::halyard, the shared library, and halyard::static where
#                                             the packages that the latter needs are found
#   find_package(halyard COMPONENTS static)   insists on halyard::static

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/halyard")
get_property(packages GLOBAL PROPERTY HALYARD_DRIVER_PACKAGES)
get_property(libraries GLOBAL PROPERTY HALYARD_DRIVER_LIBRARIES)

install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT halyard)
install(DIRECTORY include/halyard DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT halyard-dev
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

# The folders stay as they are in the source tree: the pages link to each other and to the examples.
install(FILES README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT halyard-dev)
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT halyard-dev
        FILES_MATCHING PATTERN "*.md" PATTERN "*.csv" PATTERN "*.svg")
install(DIRECTORY examples DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT halyard-dev
        FILES_MATCHING PATTERN "*.[ch]" PATTERN "*.cpp" PATTERN "*.kernel" PATTERN "*.json" PATTERN "*_exclusions.txt"
        PATTERN data EXCLUDE)
foreach(project IN ITEMS examples examples/plugin)
  install(FILES ${project}/installed.cmake DESTINATION "${CMAKE_INSTALL_DOCDIR}/${project}" RENAME CMakeLists.txt
          COMPONENT halyard-dev)
endforeach()

install(TARGETS halyard EXPORT halyard-shared
        LIBRARY COMPONENT halyard NAMELINK_COMPONENT halyard-dev)
install(TARGETS halyard_static EXPORT halyard-static ARCHIVE COMPONENT halyard-dev)
foreach(kind IN ITEMS shared static)
  install(EXPORT halyard-${kind} NAMESPACE halyard:: DESTINATION "${package_dir}" COMPONENT halyard-dev)
endforeach()

set(program_dir "${CMAKE_INSTALL_BINDIR}")
configure_package_config_file(
  cmake/halyard-config.cmake.in "${PROJECT_BINARY_DIR}/halyard-config.cmake"
  INSTALL_DESTINATION "${package_dir}"
  PATH_VARS program_dir
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/halyard-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/halyard-config.cmake" "${PROJECT_BINARY_DIR}/halyard-config-version.cmake"
              cmake/HalyardAddKernels.cmake cmake/halyard_compile_spirv.cmake
        DESTINATION "${package_dir}" COMPONENT halyard-dev)

# What the static library needs, in the linker's words: package::library becomes -llibrary.
get_property(cxx_runtime GLOBAL PROPERTY HALYARD_CXX_RUNTIME)
list(TRANSFORM libraries REPLACE "^.*::" "")
list(TRANSFORM libraries PREPEND "-l" OUTPUT_VARIABLE private_libraries)
foreach(library IN LISTS cxx_runtime CMAKE_DL_LIBS)
  list(APPEND private_libraries -l${library})
endforeach()
list(APPEND private_libraries -lpthread)
# For the linker, past the compiler: clang++ -stdlib=libc++ takes -lstdc++ for its own library.
list(TRANSFORM private_libraries REPLACE "^-lstdc\\+\\+$" "-Wl,-lstdc++")
list(JOIN private_libraries " " private_libraries)
set(archive_name "${CMAKE_STATIC_LIBRARY_PREFIX}halyard${CMAKE_STATIC_LIBRARY_SUFFIX}")
set(pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH prefix_from_pkgconfig "/prefix/${pkgconfig_dir}" "/prefix")
string(REGEX REPLACE "/$" "" prefix_from_pkgconfig "${prefix_from_pkgconfig}")
foreach(name IN ITEMS halyard halyard-static)
  configure_file(cmake/${name}.pc.in "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${pkgconfig_dir}" COMPONENT halyard-dev)
endforeach()

include(HalyardPackages)
