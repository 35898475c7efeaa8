# What `cmake --install` puts in place: headers, both libraries, the CMake package and the pkg-config file.
#
#   find_package(halyard)                     gives halyard::halyard, the shared library
#   find_package(halyard COMPONENTS static)   gives halyard::static as well, and what it needs to be linked

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/halyard")
get_property(packages GLOBAL PROPERTY HALYARD_DRIVER_PACKAGES)
get_property(libraries GLOBAL PROPERTY HALYARD_DRIVER_LIBRARIES)

install(DIRECTORY include/halyard DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT halyard-dev
        FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT halyard)

install(TARGETS halyard EXPORT halyard-shared
        LIBRARY COMPONENT halyard NAMELINK_COMPONENT halyard-dev)
install(TARGETS halyard_static EXPORT halyard-static ARCHIVE COMPONENT halyard-dev)
foreach(kind IN ITEMS shared static)
  install(EXPORT halyard-${kind} NAMESPACE halyard:: DESTINATION "${package_dir}" COMPONENT halyard-dev)
endforeach()

configure_package_config_file(
  cmake/halyard-config.cmake.in "${PROJECT_BINARY_DIR}/halyard-config.cmake"
  INSTALL_DESTINATION "${package_dir}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/halyard-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/halyard-config.cmake" "${PROJECT_BINARY_DIR}/halyard-config-version.cmake"
        DESTINATION "${package_dir}" COMPONENT halyard-dev)

# pkg-config wants linker names: TBB::tbb becomes -ltbb.
list(TRANSFORM libraries REPLACE "^.*::" "-l" OUTPUT_VARIABLE private_libraries)
list(JOIN private_libraries " " private_libraries)
set(pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH prefix_from_pkgconfig "/prefix/${pkgconfig_dir}" "/prefix")
configure_file(cmake/halyard.pc.in "${PROJECT_BINARY_DIR}/halyard.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/halyard.pc" DESTINATION "${pkgconfig_dir}"
        COMPONENT halyard-dev)
