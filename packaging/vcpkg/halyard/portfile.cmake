# An overlay port, for a copy of the sources around it: vcpkg install halyard --overlay-ports=packaging/vcpkg
# It was written after vcpkg's documentation, and has not been tried.
cmake_path(SET SOURCE_PATH NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../..")

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DHALYARD_BUILD_TESTS=OFF -DHALYARD_BUILD_TOOLS=OFF -DHALYARD_BUILD_EXAMPLES=OFF -DHALYARD_BUILD_BENCHMARKS=OFF
          "-DHALYARD_FLATC=${CURRENT_HOST_INSTALLED_DIR}/tools/flatbuffers/flatc${VCPKG_HOST_EXECUTABLE_SUFFIX}")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/halyard)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
