#!/bin/bash
# Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs on a machine with an NVIDIA GPU, from a folder that scripts/gpu_folder.sh made: the conformance suite, once for
# each completion mode; the tests that need real hardware; a part of the suite under compute-sanitizer, where that is
# installed; the comparison with the bare driver API; the digits demo.
#
#   gpu_check.sh [device] [gtest filter]      # cuda://0, everything but the slow cases
#
# SHARDS processes share the cases. Ends with one line for each run, and with 0 if all passed. Reports go to $OUT, or to
# the folder itself.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
device=${1:-cuda://0}
filter=${2:--*Slow*}
out=${OUT:-$here}
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

if command -v nvidia-smi >/dev/null; then nvidia-smi --query-gpu=name,driver_version --format=csv,noheader; fi
date -u
shards=${SHARDS:-8}
summary=()
failed=0
for mode in ${MODES:-fast portable}; do
  start=$SECONDS
  jobs=()
  for ((shard = 0; shard < shards; ++shard)); do
    GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard timeout "${LIMIT:-250}" "$here/bin/halyard-cts" \
      --device="$device?completion=$mode" --kernels="$here/kernels" --gtest_filter="$filter" \
      >"$out/cts-$mode-$shard.log" 2>&1 &
    jobs+=($!)
  done
  codes=()
  for job in "${jobs[@]}"; do
    wait "$job"
    codes+=($?)
  done
  cat "$out/cts-$mode"-[0-9]*.log >"$out/cts-$mode.log"
  rm "$out/cts-$mode"-[0-9]*.log
  passed=$(grep -c '^\[       OK \]' "$out/cts-$mode.log")
  skipped=$(grep -c '^\[  SKIPPED \].*ms)' "$out/cts-$mode.log")
  wrong=$(grep '^\[  FAILED  \].*ms)' "$out/cts-$mode.log" | sed 's/ ([0-9]* ms)$//' | sort -u)
  [ -n "$wrong" ] && printf '%s\n' "$wrong" | head -"${SHOWN:-60}"
  case " ${codes[*]} " in *" "[1-9]*) failed=1 ;; esac
  summary+=("completion=$mode: $passed passed, $(grep -c . <<<"$wrong") failed, $skipped skipped in $((SECONDS - start)) s; exits ${codes[*]}")
done

# run NAME SECONDS COMMAND...: its output to a file, a line to the summary.
run() {
  local name=$1 limit=$2
  shift 2
  timeout "$limit" "$@" >"$out/$name.log" 2>&1
  local code=$?
  [ $code -eq 0 ] || failed=1
  summary+=("$name: exit $code; $(tail -1 "$out/$name.log")")
}

if [ -z "${ONLY_SUITE:-}" ]; then
  [ -x "$here/bin/halyard-cuda-tests" ] && run cuda-tests 120 "$here/bin/halyard-cuda-tests" --gtest_brief=1
  if command -v compute-sanitizer >/dev/null; then
    # What is reported besides are calls that may fail and are handled, such as asking for one parameter too many.
    for mode in fast portable; do
      run memcheck-$mode 150 compute-sanitizer --tool memcheck --leak-check full --report-api-errors no \
        --error-exitcode 9 "$here/bin/halyard-cts" --device="$device?completion=$mode" --kernels="$here/kernels" \
        --gtest_brief=1 --gtest_filter='*CommandOrder*:*TransferTest*:*Dispatch*:*QueueAlloca*:*File*:RobustnessTest*:*BindingTable*:-*Slow*'
    done
  fi
  [ -x "$here/bin/halyard-digits" ] && run digits 60 "$here/bin/halyard-digits" --device="$device" \
    --data="$here/kernels" --kernels="$here/kernels/digits_kernels.halx" --show=0
  if [ -x "$here/bin/halyard-cuda-overhead" ]; then
    run overhead 100 "$here/bin/halyard-cuda-overhead" "$here/kernels/cts_basic.ptx" "$device?queues=8"
    cat "$out/overhead.log"
  fi
fi

printf '%s\n' "${summary[@]}"
exit $failed
