#!/usr/bin/env bash
# Builds for another machine and runs the tests there, under QEMU. Closes with the count.
#
#   scripts/cross.sh          Linux on AArch64: the suite on the local device, functions of C and MLIR, processors
#   scripts/cross.sh --all    also the tests of internals, and the suite on the simulated CUDA and HIP

source "$(dirname "$0")/internal/testing.sh"

case ${1:-} in
  '')
    targets=(halyard-cts halyard-executables-tests halyard-host-code-tests halyard-info halyard-memref-tests)
    selection=(--label-regex '^local$' --label-exclude '^slow$')
    ;;
  --all)
    targets=()
    selection=()
    ;;
  *) echo "usage: scripts/cross.sh [--all]" >&2; exit 2 ;;
esac

./scripts/bootstrap.sh --cross
attempt run_tests aarch64 "${selection[@]}"
finish_tests
