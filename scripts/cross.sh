#!/usr/bin/env bash
# Builds for another machine or C library and runs the tests there. Closes with the count.
#
#   scripts/cross.sh [aarch64]      Linux on AArch64, under QEMU
#   scripts/cross.sh musl           Linux on x86-64 with musl, compiled by Zig's Clang
#   scripts/cross.sh windows        Windows on x86-64, compiled by mingw-w64, under Wine
#   scripts/cross.sh MACHINE --all  also the tests of internals, and the suite on the simulated CUDA and HIP
#
# What is tested without --all: the suite on the local device, and executables. On Linux also C programs that load or hold
# the library. On AArch64 also functions of C and MLIR, code without a linker, and processors.

source "$(dirname "$0")/internal/testing.sh"

machine=aarch64
if [[ ${1:-} != --* && -n ${1:-} ]]; then
  machine=$1
  shift
fi
case $machine in
  aarch64) bootstrap=--cross programs=(host-code-tests lifecycle lifecycle-program memref-tests) ;;
  musl) bootstrap=--musl programs=(lifecycle lifecycle-program) ;;
  windows) bootstrap=--windows programs=() ;;
  *) machine= ;;
esac
case $machine:${1:-} in
  ?*:)
    targets=(halyard-cts halyard-executables-tests halyard-info "${programs[@]/#/halyard-}")
    selection=(--label-regex '^local$' --label-exclude '^slow$')
    ;;
  ?*:--all)
    targets=()
    selection=()
    ;;
  *) echo "usage: scripts/cross.sh [aarch64|musl|windows] [--all]" >&2; exit 2 ;;
esac

./scripts/bootstrap.sh "$bootstrap"
attempt run_tests "$machine" "${selection[@]}"
finish_tests
