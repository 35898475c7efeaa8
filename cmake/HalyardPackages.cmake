# What `cpack` makes: three .deb files, one for each component of HalyardInstall.cmake, and one .tar.gz with everything.
# scripts/package.sh calls it. Where there is no dpkg-dev there is only the archive.

find_program(HALYARD_DPKG_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(HALYARD_DPKG_SHLIBDEPS)
set(CPACK_GENERATOR TGZ)
if(HALYARD_DPKG_SHLIBDEPS)
  list(APPEND CPACK_GENERATOR DEB)
endif()
set(CPACK_PACKAGE_NAME halyard)
set(CPACK_PACKAGE_VENDOR Halyard)
set(CPACK_PACKAGE_CONTACT "Halyard maintainers <maintainers@halyard.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # cpack would put it before the description of each package
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
# Independent of the umask of the build.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# The archive: one folder, halyard-<version>-<system>-<processor>.
string(TOLOWER "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" platform)
set(CPACK_SYSTEM_NAME "${platform}")
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)

# The .deb files install to /usr. Dependencies on other packages are those of the libraries that the files are linked
# with, as dpkg-shlibdeps finds them; our own library is in no package yet when it looks, so that one is written here.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL halyard halyard-dev halyard-tools)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON) # so that packages which use the library can find out that they do
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/lib")
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/debian_layout.cmake")
set(this_version "= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")

# debian_package(<component> SECTION <section> SUMMARY <text> TEXT <lines>... [FIELDS <field> <value>...])
macro(debian_package component)
  cmake_parse_arguments(arg "" "SECTION;SUMMARY" "TEXT;FIELDS" ${ARGN})
  string(TOUPPER "${component}" key)
  list(JOIN arg_TEXT "\n" text)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${component})
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${arg_SECTION})
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${arg_SUMMARY}\n${text}")
  while(arg_FIELDS)
    list(POP_FRONT arg_FIELDS field value)
    set(CPACK_DEBIAN_${key}_PACKAGE_${field} "${value}")
  endwhile()
endmacro()

debian_package(halyard SECTION libs
  SUMMARY "hardware abstraction layer for compute"
  TEXT "Runs compiled kernels on devices: loads them, manages memory and orders"
       "work with timeline semaphores. Has a C ABI. This package holds the shared"
       "library. Vendors' libraries are loaded when a driver is opened, and need"
       "not be there otherwise."
  FIELDS SHLIBDEPS ON)

debian_package(halyard-dev SECTION libdevel
  SUMMARY "hardware abstraction layer for compute: development files"
  TEXT "Headers for C11 and C++17, the static library, the CMake package,"
       "pkg-config files, documentation and examples. The recommended package"
       "is needed to link the static library only."
  FIELDS DEPENDS "halyard (${this_version})" RECOMMENDS "g++" SUGGESTS "cmake, pkg-config")

debian_package(halyard-tools SECTION utils
  SUMMARY "hardware abstraction layer for compute: programs"
  TEXT "Programs that show devices, pack kernels and run them, a demo that"
       "recognises digits, and the conformance suite halyard-cts, which checks a"
       "driver or an installation."
  FIELDS DEPENDS "halyard (${this_version})" SHLIBDEPS ON)

include(CPack)
