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
# Builds the array `targets`, if a script has set it, and else all.
# Tests of threads wait for a fifth of their time, so there is one more than processors.
run_tests() {
  local preset=$1 status=0
  local summary=$PWD/build/$preset/tests.xml reports=$PWD/build/$preset/reports
  shift
  ./scripts/build.sh "$preset" ${targets[@]+"${targets[@]}"} || return
  rm -rf "$summary" "$reports"
  explain=failed_tests step "Test $preset" "test-$preset" \
    ctest --preset "$preset" --parallel "$((jobs + 1))" --no-label-summary --output-junit "$summary" "$@" || status=$?
  [[ ! -f $summary ]] || count_cases "$summary" "$reports" >>"$HALYARD_TALLY"
  return "$status"
}

# count_cases SUMMARY REPORTS: prints `passed failed skipped`. SUMMARY is CTest's report, with one entry for each
# process. Those that ran GoogleTest left a report with their cases in the folder REPORTS, and count as those do; the
# others count as one case each. A process that died, or failed without a failed case, is one failure more.
count_cases() {
  awk -v reports="$2" '
    function attribute(line, name) {
      return match(line, " " name "=\"[^\"]*\"") ? substr(line, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : ""
    }
    # Reads the report of one process; returns whether there is one.
    function read_report(file,   line, found) {
      cases = failures = unseen = 0
      while ((getline line < file) > 0) {
        if (line ~ /<testsuites /) {
          found = 1
          cases = attribute(line, "tests")
          failures = attribute(line, "failures")
        } else if (line ~ /<testcase .*(result="skipped"|status="notrun")/) {
          ++unseen
        }
      }
      close(file)
      return found
    }
    /<testcase / {
      name = attribute($0, "name")
      status = attribute($0, "status")
      gsub(/[^A-Za-z0-9_]/, "_", name)
      if (read_report(reports "/" name ".xml")) {
        if (status == "fail" && failures == 0) ++failed
        passed += cases - failures - unseen
        failed += failures
        skipped += unseen
      } else if (status == "run") ++passed
      else if (status == "fail") ++failed
      else ++skipped
    }
    END { print passed + 0, failed + 0, skipped + 0 }' "$1"
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
