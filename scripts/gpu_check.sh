#!/bin/bash
# Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the conformance suite on a GPU, once for each completion mode, from a folder that scripts/gpu_folder.sh made.
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
printf '%s\n' "${summary[@]}"
exit $failed
