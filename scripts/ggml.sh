#!/usr/bin/env bash
# Builds the ggml backend of integrations/ggml, with the ggml that it is made for, and tests it.
#
#   scripts/ggml.sh            fetches, builds, and runs the tests of the tiny models on the local device
#   scripts/ggml.sh --all      also ggml's own test of every operation, on every device here, and the long run
#   scripts/ggml.sh --build    builds alone
#
# The sources of ggml are those of a package of PyPI, 77 MB. They are unpacked and built once, in about three minutes of
# two processors, in the folder of HALYARD_GGML_CACHE, by default ~/.cache/halyard/ggml. No file of it comes here.

source "$(dirname "$0")/internal/steps.sh"

readonly version=0.3.36
cache=${HALYARD_GGML_CACHE:-$HOME/.cache/halyard/ggml}
sources=$cache/llama_cpp_python-$version/vendor/llama.cpp
built=$cache/build
preset=${HALYARD_GGML_PRESET:-release}

fetch_sources() {
  [ -f "$sources/CMakeLists.txt" ] && return
  mkdir -p "$cache"
  # pip prepares the package that it downloads, which needs its build tools: a few minutes.
  python3 -m pip download --no-binary :all: --no-deps --dest "$cache" "llama-cpp-python==$version" &&
    tar -xzf "$cache/llama_cpp_python-$version.tar.gz" -C "$cache" && rm "$cache/llama_cpp_python-$version.tar.gz"
}

build_ggml() {
  # Without -march=native, so that the programs also run on the machine with a GPU.
  cmake -G Ninja -S "$sources" -B "$built" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DGGML_NATIVE=OFF \
    -DGGML_SSE42=ON -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON -DGGML_OPENMP=OFF -DGGML_LLAMAFILE=OFF \
    -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_SERVER=OFF -DLLAMA_BUILD_UI=OFF -DLLAMA_OPENSSL=OFF &&
    nice cmake --build "$built" --parallel "$jobs" --target ggml llama &&
    build_operations_test
}

# By hand: as a target of llama.cpp's it needs a library that takes longer than all of ggml, and uses nothing of it.
build_operations_test() {
  local program=$built/bin/test-backend-ops source=$sources/tests/test-backend-ops.cpp
  [ "$program" -nt "$source" ] && return
  c++ -O1 -std=c++17 -DGGML_SHARED -DGGML_BACKEND_SHARED -I"$sources/ggml/include" "$source" -o "$program" \
    -L"$built/bin" -lggml -lggml-base -lggml-cpu -Wl,-rpath,'$ORIGIN' -pthread
}

build_backend() {
  cmake --preset "$preset" -DHALYARD_GGML_SOURCE="$sources" -DHALYARD_GGML_BUILD="$built" &&
    cmake --build --preset "$preset" --parallel "$jobs" \
      --target ggml-halyard ggml_kernels halyard-ggml-backend halyard-ggml-llama halyard_ggml_models
}

# The tests of ggml's CPU backend keep all processors busy: one after the other.
run_tests() { ctest --preset "$preset" -L ggml "$@" --output-on-failure; }

step "Fetch ggml" ggml-fetch fetch_sources
step "Build ggml" ggml-build build_ggml
step "Build the backend" ggml-backend build_backend
case "${1:-}" in
  --build) ;;
  --all) step "Test everything" ggml-test run_tests ;;
  *) step "Test tiny models" ggml-test run_tests -R '^ggml.(backend|llama).*.local$' ;;
esac
