#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# For owners of an AMD GPU with ROCm 5.7 or newer, since Halyard's authors have none: builds Halyard with kernels for that
# GPU, runs the conformance suite in four modes, the interoperability with HIP, the digits demo and the benchmark, and
# gathers what they said in one file to send back: build/amd-check.tar.gz.
#
#   scripts/amd_check.sh [device] [gtest filter]      # hip://0, everything but the slow cases
#
# Ends with one line for each run, and with 0 if all passed. Before ROCm 7 a fault of a kernel ends its process; the
# suite runs in several, so the rest of it goes on.

source "$(dirname "$0")/internal/steps.sh"

device=${1:-hip://0}
filter=${2:--*Slow*}
bin=build/release/bin
report=build/amd-check
shards=4

./scripts/bootstrap.sh --test
./scripts/build.sh release halyard-info
# "gfx90a:sramecc+:xnack-": the processor is what kernels are made for.
architecture=$("$bin/halyard-info" --device="$device" | grep -o 'gfx[0-9a-f]*' | head -1)
[[ -n $architecture ]] || { "$bin/halyard-info" --device="$device"; exit 1; }
grep -q "^HALYARD_HIP_ARCHITECTURES.*$architecture" build/release/CMakeCache.txt ||
  cmake -B build/release "-DHALYARD_HIP_ARCHITECTURES=$architecture" >/dev/null
./scripts/build.sh release

rm -rf "$report"
mkdir -p "$report"
summary=()

# run NAME SECONDS COMMAND...: its output to a file, a line to the summary.
run() {
  local name=$1 limit=$2 code=0
  shift 2
  timeout "$limit" "$@" >"$report/$name.log" 2>&1 || code=$?
  summary+=("$name: exit $code; $(tail -n 1 "$report/$name.log")")
  return "$code"
}

# suite COMPLETION COMMAND_BUFFERS
suite() {
  local shard job status=0 jobs=() name="suite-$1-$2"
  for ((shard = 0; shard < shards; ++shard)); do
    GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard timeout 1800 "$bin/halyard-cts" \
      --device="$device?completion=$1&command_buffer=$2" --gtest_filter="$filter" >"$report/$name-$shard.log" 2>&1 &
    jobs+=($!)
  done
  for job in "${jobs[@]}"; do wait "$job" || status=$?; done
  summary+=("$name: $(cat "$report/$name"-*.log | grep -c '^\[       OK \]') passed, $(
    cat "$report/$name"-*.log | grep -c '^\[  FAILED  \].*ms)') failed; last exit $status")
  return "$status"
}

{
  date -u
  uname -srm
  git describe --always --dirty 2>/dev/null || true
  command -v rocminfo >/dev/null && rocminfo || true
} >"$report/machine.log" 2>&1
attempt run info 60 "$bin/halyard-info" --device="$device"
for completion in fast portable; do
  for command_buffers in stream graph; do attempt suite "$completion" "$command_buffers"; done
done
attempt run interop 300 python3 tests/hip/python/hip_interop.py build/release/lib/libhalyard.so
attempt run digits 300 "$bin/halyard-digits" --device="$device"
attempt run bench 900 "$bin/halyard-bench" --device="$device" --output="$report/bench.json"

printf '%s\n' "${summary[@]}" | tee "$report/summary.txt"
tar --create --gzip --file build/amd-check.tar.gz -C build amd-check
echo "To send back: build/amd-check.tar.gz"
finish
