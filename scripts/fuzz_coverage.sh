#!/usr/bin/env bash
# Says which lines the inputs reach that scripts/fuzz.sh has kept: of the readers, not of the harness.
#
#   scripts/fuzz_coverage.sh    prints a table for each fuzzer; build/fuzz-coverage/<name>.txt shows every line

source "$(dirname "$0")/internal/steps.sh"

build=build/fuzz-coverage
reflection=src/image/reflection
# The files whose lines count, of each fuzzer.
declare -A readers=([container]=src/image/halx [npy]="$(echo tools/support/npy/*.cpp)"
  [mlir]="$(echo tools/support/functions/mlir_*.cpp)" [ptx]="$(echo $reflection/nvidia/ptx_*.cpp)" [cubin]="$reflection/nvidia/cubin_reflection.cpp src/image/shared_object/elf_reader.cpp"
  [fatbin]=$reflection/nvidia/fatbin.cpp [hsaco]="$reflection/amd/hsaco_reflection.cpp src/image/shared_object/elf_reader.cpp"
  [msgpack]=$reflection/amd/msgpack_reader.cpp [offload_bundle]=$reflection/amd/offload_bundle.cpp
  [host_records]=$reflection/host_reflection.cpp [blob]=src/core/executable/blob_file.cpp [elf]="$(echo src/image/shared_object/elf_{check,symbols}.cpp)"
  [spirv_words]="$(echo $reflection/spirv/*.cpp)" [range_allocator]=src/base/range_allocator.cpp
  [spirv]=tools/reflect [export_description]="tools/support/kernels/export_description.cpp tools/support/json.cpp"
  [kernel_source]=tools/kernels [mangled]="$(echo $reflection/names/*.cpp)" [triton_metadata]="$(echo tools/pack/triton/triton_{metadata,signature}.cpp)"
  [spirv_defaults]=tools/support/kernels/specialization.cpp [dlpack]="$(echo src/core/dlpack/dlpack_*.cpp)")

# llvm TOOL ARGUMENTS...: under the name that Debian gives it.
llvm() {
  local tool
  tool=$(command -v "llvm-$1" || command -v "llvm-$1-14") || { echo "llvm-$1 is not installed" >&2; return 1; }
  "$tool" "${@:2}"
}

# measure NAME: runs a fuzzer over its inputs, once each.
measure() {
  local program=$build/bin/halyard-$1-fuzzer profile=$build/$1.profdata files
  read -ra files <<<"${readers[$1]:--ignore-filename-regex=(tests/|third_party/|/usr/)}"
  LLVM_PROFILE_FILE=$build/$1.profraw "$program" -runs=0 "build/fuzz/corpus/$1" "$build/fuzz-seeds/$1"
  llvm profdata merge -sparse "$build/$1.profraw" -o "$profile"
  llvm cov show "$program" "-instr-profile=$profile" "${files[@]}" >"$build/$1.txt"
  llvm cov report "$program" "-instr-profile=$profile" "${files[@]}" >"$build/$1.table"
}

step "Configure fuzz-coverage" fuzz-coverage-configure \
  cmake --preset fuzz -B "$build" -DHALYARD_SANITIZE= -DHALYARD_FUZZ_COVERAGE=ON
step "Build the fuzzers" fuzz-coverage-build cmake --build "$build" --parallel "$jobs" --target halyard-fuzzers
for program in "$build"/bin/halyard-*-fuzzer; do
  name=${program##*/halyard-}
  name=${name%-fuzzer}
  mkdir -p "build/fuzz/corpus/$name"
  step "Measure $name" "fuzz-coverage-$name" measure "$name"
  # The name of a file, its lines, those that were missed, and the share of those that were reached.
  awk '$1 ~ /\.(cpp|h)$/ || $1 == "TOTAL" { printf "  %-32s %6d lines %6d missed %8s\n", $1, $8, $9, $10 }' \
    "$build/$name.table"
done
