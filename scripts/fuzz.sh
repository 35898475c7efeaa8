#!/usr/bin/env bash
# Builds the fuzzers with clang, under the address and undefined behaviour sanitizers, and runs each. Inputs that reach
# new code are kept in build/fuzz/corpus/, so that the next run begins where this one ended.
#
#   scripts/fuzz.sh [executions]    20000 of each fuzzer unless told otherwise
#
# Below each fuzzer stands what it came to: executions, how many edges of the code that it is linked with inputs have
# taken, and how close the dearest inputs came to the bounds of memory and steps (tests/fuzz/input_cost.cpp).

source "$(dirname "$0")/internal/steps.sh"

executions=${1:-20000}
if ! [[ $executions =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: scripts/fuzz.sh [executions]; '$executions' is no number of executions" >&2
  exit 2
fi
if ! command -v clang++ >/dev/null; then
  echo "Fuzzing needs clang with libFuzzer: scripts/bootstrap.sh --dev installs it" >&2
  exit 1
fi

# run_fuzzer NAME
run_fuzzer() {
  local corpus=build/fuzz/corpus/$1
  mkdir -p "$corpus"
  "build/fuzz/bin/halyard-$1-fuzzer" -runs="$executions" -timeout=10 -print_final_stats=1 \
    -artifact_prefix="$corpus-" "$corpus" "build/fuzz/fuzz-seeds/$1"
}

explain_build() { grep -E 'error:|Fuzzers: skipped' "$1" | head -n 40; }

# summarize LOG: from what libFuzzer prints about itself.
summarize() {
  awk '/inline 8-bit counters/ { sub(/.*\(/, ""); edges = $1 }
       { for (i = 1; i < NF; ++i) if ($i == "cov:") covered = $(i + 1) }
       /^Done [0-9]+ runs in/ { runs = $2; seconds = $5 }
       /^cost: at most/ { costs = costs "; " $4 " % of the " ($0 ~ / steps / ? "steps" : "memory") }
       END { if (runs) printf "  %d executions in %d s; %d of %d edges%s\n", runs, seconds, covered, edges, costs }' "$1"
}

# fuzz NAME: a line for the step and one for what it came to, printed together.
fuzz() {
  local status=0 report
  report=$(step "Fuzz $1" "fuzz-$1" run_fuzzer "$1") || status=$?
  printf '%s\n%s\n' "$report" "$(summarize "$logs/fuzz-$1.log")"
  return "$status"
}

step "Configure fuzz" fuzz-configure cmake --preset fuzz
if grep -q 'Fuzzers: skipped' "$logs/fuzz-configure.log"; then
  grep -o 'Fuzzers: skipped.*' "$logs/fuzz-configure.log" >&2
  exit 1
fi
explain=explain_build step "Build the fuzzers" fuzz-build cmake --build --preset fuzz --target halyard-fuzzers
step "Check what they measure" fuzz-input-cost ctest --preset fuzz -R '^fuzz[.]input_cost[.]'
# As many beside each other as there are processors.
await_one() { wait -n || failed+=("a fuzzer"); }
running=0
for fuzzer in build/fuzz/bin/halyard-*-fuzzer; do
  if ((running == jobs)); then await_one; else running=$((running + 1)); fi
  name=${fuzzer##*/halyard-}
  fuzz "${name%-fuzzer}" &
done
for ((; running > 0; --running)); do await_one; done
finish
