#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the cases that make_cases.py made, and says which came out as NumPy has it.
#
#   run_cases.sh HALYARD_RUN FOLDER [DEVICE]    DEVICE is cuda://0 unless told otherwise
set -uo pipefail
program=$(realpath "$1")
cd "$2" || exit 2
device=${3:-cuda://0}
passed=0 failed=0

# run LABEL WORDS...
run() {
  local label=$1 output
  shift
  if output=$("$program" "--device=$device" "$@" 2>&1); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s:\n%s\n' "$label" "$output"
  fi
}

# shellcheck source=/dev/null
source ./cases
echo "$passed of $((passed + failed)) kernels of other compilers came out as expected on $device"
((failed == 0))
