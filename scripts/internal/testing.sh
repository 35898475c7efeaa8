# shellcheck shell=bash
# Sourced by the scripts that run tests: build a preset, run its tests, count the cases.

source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

# Scripts that call each other count into one file, and the outermost prints the sum.
if [[ -z ${HALYARD_TALLY:-} ]]; then
  HALYARD_TALLY=$(mktemp)
  export HALYARD_TALLY
  prints_tally=yes
  trap 'rm -f "$HALYARD_TALLY"' EXIT
fi

# run_tests PRESET [CTEST ARGUMENTS...]
run_tests() {
  local preset=$1 status=0
  local report=$PWD/build/$preset/tests.xml
  shift
  ./scripts/build.sh "$preset" || return
  rm -f "$report"
  explain=failed_tests step "Test $preset" "test-$preset" \
    ctest --preset "$preset" --parallel "$jobs" --no-label-summary --output-junit "$report" "$@" || status=$?
  [[ ! -f $report ]] || count_cases "$report" >>"$HALYARD_TALLY"
  return "$status"
}

# Prints `passed failed skipped` from a JUnit report; CTest puts the totals into its first lines.
count_cases() {
  local field tests=0 failures=0 skipped=0 disabled=0
  for field in tests failures skipped disabled; do
    printf -v "$field" '%s' "$(sed -n "s/^[[:space:]]*$field=\"\([0-9]*\)\".*/\1/p;/<testcase/q" "$1" | head -n 1)"
  done
  echo $((tests - failures - skipped - disabled)) "$failures" $((skipped + disabled))
}

# Shows what the first few failing cases printed, then CTest's list of all that failed.
failed_tests() {
  awk '/^[0-9]+% tests passed/ { exit }
       / Test +#[0-9]+: / { showing = /\*\*\*/ && !/\*\*\*Skipped/ }
       / Start +[0-9]+: / { next }
       showing' "$1" | head -n 80
  sed -n '/^The following tests FAILED/,$p' "$1" | head -n 60
  grep -q '^The following tests FAILED' "$1" || last_lines "$1"
}

# Closes a script: what failed, then `N passed, N failed` alone on a line.
finish_tests() {
  local status=0
  finish || status=1
  if [[ -n ${prints_tally:-} ]]; then
    awk '{ passed += $1; failed += $2; skipped += $3 }
         END { printf "%d passed, %d failed", passed, failed
               if (skipped) printf ", %d skipped", skipped
               print "" }' "$HALYARD_TALLY"
  fi
  return "$status"
}
