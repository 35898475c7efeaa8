# The description of the API as JSON: build/<preset>/halyard-api.json, installed as share/halyard/halyard-api.json. A
# program reads the public headers and writes C code, and that code prints what a compiler makes of them.
#
# What it says of layouts holds for the platform that it was made on.

file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/halyard/*.h")
set(api_folder "${PROJECT_SOURCE_DIR}/tools/api")
set(description_code "${PROJECT_BINARY_DIR}/api/api_description.inc")
set(HALYARD_API_DESCRIPTION "${PROJECT_BINARY_DIR}/halyard-api.json")
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/api")

add_executable(halyard_api_generator "${api_folder}/description_generator.cpp" "${api_folder}/header_reader.cpp"
                                     "${api_folder}/header_documentation.cpp")
target_include_directories(halyard_api_generator PRIVATE "${PROJECT_SOURCE_DIR}/tools")
# It runs once: the optimiser costs more than it gives.
target_compile_options(halyard_api_generator PRIVATE "$<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-O0>")
halyard_combine_sources(halyard_api_generator)
add_custom_command(
  OUTPUT "${description_code}"
  COMMAND halyard_api_generator "${description_code}" ${headers}
  DEPENDS halyard_api_generator ${headers}
  COMMENT "Describing the API"
  VERBATIM)
add_executable(halyard_api_printer "${api_folder}/description_printer.c" "${description_code}")
target_include_directories(halyard_api_printer PRIVATE "${PROJECT_BINARY_DIR}/api")
target_link_libraries(halyard_api_printer PRIVATE halyard_headers)
set_target_properties(halyard_api_printer PROPERTIES C_STANDARD 11)
add_custom_command(
  OUTPUT "${HALYARD_API_DESCRIPTION}"
  COMMAND halyard_api_printer "${HALYARD_API_DESCRIPTION}"
  DEPENDS halyard_api_printer
  VERBATIM)
add_custom_target(halyard_api_description ALL DEPENDS "${HALYARD_API_DESCRIPTION}")
install(FILES "${HALYARD_API_DESCRIPTION}" DESTINATION "${CMAKE_INSTALL_DATADIR}/halyard" COMPONENT halyard-dev)
