# Makes Rust bindings of the installed headers by bindgen, and runs rust/binding_test.rs against the installed library.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

set(build "${WORK}/rust")
set(include "${PREFIX}/include")
set(lib "${PREFIX}/${LIBDIR}")
file(REMOVE_RECURSE "${build}")
file(MAKE_DIRECTORY "${build}")

# The kernels, without CMake: what a build script of Rust would do.
run("${PREFIX}/bin/halyard-kernels" "--source=${CMAKE_CURRENT_LIST_DIR}/kernels/scale.kernel"
    "--host-c=${build}/scale.c" "--exports=${build}/scale.json")
run("${C_COMPILER}" -std=c11 -O2 -shared -fPIC "-I${include}" "${build}/scale.c" -o "${build}/scale.so")
run("${PREFIX}/bin/halyard-pack" "--local=${build}/scale.so" "--exports=${build}/scale.json"
    "--output=${build}/scale.halx")

# bindgen 0.60, which Debian 12 has, takes the names that libclang 16 and newer give nested unions for identifiers.
set(bindgen "${BINDGEN}")
if(LIBCLANG)
  set(bindgen "${CMAKE_COMMAND}" -E env "LIBCLANG_PATH=${LIBCLANG}" "${BINDGEN}")
endif()
run(${bindgen} "${include}/halyard/halyard.h" --output "${build}/halyard.rs" --allowlist-function "hal_.*"
    --allowlist-type "hal_.*" --allowlist-var "HAL_.*" --no-prepend-enum-name --size_t-is-usize -- "-I${include}")
run("${CMAKE_COMMAND}" -E env "HALYARD_BINDINGS=${build}/halyard.rs" "HALYARD_KERNELS=${build}/scale.halx" "${RUSTC}"
    --edition=2021 --test "${CMAKE_CURRENT_LIST_DIR}/rust/binding_test.rs" -o "${build}/binding_test" -L "${lib}"
    -l halyard -C "link-arg=-Wl,-rpath,${lib}")
run("${build}/binding_test" --test-threads=1)
string(REGEX MATCH "test result: ok\\. ([0-9]+) passed; 0 failed; 0 ignored" result "${output}")
if(NOT result)
  fail("Not all tests of the binding above passed" "${output}")
endif()
# Four of our own, and a layout for each struct.
if(CMAKE_MATCH_1 LESS 45)
  fail("The binding above has too few structs" "${output}")
endif()
expect_output("a_kernel_is_dispatched ... ok")
loaded_library(library "${build}/binding_test")
cmake_path(IS_PREFIX PREFIX "${library}" is_ours)
if(NOT is_ours)
  fail("The test should load the library in ${PREFIX}, but loads '${library}'")
endif()
