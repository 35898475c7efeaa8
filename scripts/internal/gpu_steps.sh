# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Sourced by the scripts that run on a machine with a GPU, from a folder that scripts/gpu_folder.sh made: the conformance
# suite in several processes, other programs, and one line of a summary for each run. `here` is that folder, `out` is
# where logs go, `filter` names the cases.

mkdir -p "$out"
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
shards=${SHARDS:-8}
summary=()
failed=0

describe_gpu() {
  if command -v nvidia-smi >/dev/null; then nvidia-smi --query-gpu=name,driver_version --format=csv,noheader; fi
  date -u
}

# suite NAME SECONDS FILTER DEVICE TOOL...: the conformance suite in several processes, each under a tool if there is
# one; a line to the summary. What `suite_options` holds is added to the options.
suite_options=()
suite() {
  local name=$1 limit=$2 filter=$3 device=$4 start=$SECONDS jobs=() codes=() shard job
  shift 4
  for ((shard = 0; shard < shards; ++shard)); do
    GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard timeout "$limit" "$@" "$here/bin/halyard-cts" \
      --device="$device" "${suite_options[@]}" --kernels="$here/kernels" --gtest_filter="$filter" \
      >"$out/$name-$shard.log" 2>&1 &
    jobs+=($!)
  done
  for job in "${jobs[@]}"; do
    wait "$job"
    codes+=($?)
  done
  cat "$out/$name"-[0-9]*.log >"$out/$name.log"
  rm "$out/$name"-[0-9]*.log
  local passed skipped wrong
  passed=$(grep -c '^\[       OK \]' "$out/$name.log")
  skipped=$(grep -c '^\[  SKIPPED \].*ms)' "$out/$name.log")
  wrong=$(grep '^\[  FAILED  \].*ms)' "$out/$name.log" | sed 's/ ([0-9]* ms)$//' | sort -u)
  [ -n "$wrong" ] && printf '%s\n' "$wrong" | head -"${SHOWN:-60}"
  case " ${codes[*]}" in *" "[1-9]*) failed=1 ;; esac
  [ "$passed" -gt 0 ] || failed=1
  summary+=("$name: $passed passed, $(grep -c . <<<"$wrong") failed, $skipped skipped in $((SECONDS - start)) s; exits ${codes[*]}")
}

# run NAME SECONDS COMMAND...: its output to a file, a line to the summary.
run() {
  local name=$1 limit=$2
  shift 2
  timeout "$limit" "$@" >"$out/$name.log" 2>&1
  local code=$?
  [ $code -eq 0 ] || failed=1
  summary+=("$name: exit $code; $(tail -1 "$out/$name.log")")
}

# complain NAME WHAT: a failure that an exit code does not tell.
complain() {
  failed=1
  summary+=("$1: FAILED, $2")
}

# no_skips NAME: fails if tests of that run were skipped.
no_skips() {
  if grep -q '^\[  SKIPPED \]' "$out/$1.log"; then complain "$1" "tests were skipped"; fi
}

# overhead NAME ARGUMENTS...: a comparison with the vendor's bare API. BENCH_LIMIT is what it may take, in seconds.
overhead() {
  local name=$1
  shift
  run "$name" "${BENCH_LIMIT:-150}" "$here/bin/halyard-bench" --output="$out/$name.json" "$@"
  cat "$out/$name.log"
}

# The demo, and how many digits it gets right.
digits() {
  [ -x "$here/bin/halyard-digits" ] || return
  run digits 60 "$here/bin/halyard-digits" --device="$device" --data="$here/kernels" \
    --kernels="$here/kernels/digits_kernels.halx" --show=0
  grep -q '^accuracy: 98\.6 %$' "$out/digits.log" ||
    complain digits "expected 'accuracy: 98.6 %', got '$(grep '^accuracy' "$out/digits.log")'"
}
