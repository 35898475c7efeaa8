#!/usr/bin/env bash
# Runs fuzzers very often, on many processors, on a machine that need not be able to build them.
#
#   scripts/fuzz_many.sh gather FOLDER                              what scripts/fuzz.sh built and kept, packed
#   scripts/fuzz_many.sh run FOLDER EXECUTIONS [JOBS [FUZZERS...]]  there: so many executions of each fuzzer
#
# The executions of a fuzzer are divided into parts of 31,250 at most, each with a seed of its own, all from the same
# inputs. JOBS parts run beside each other; as many as there are processors unless told otherwise. SEED, 1 unless set,
# begins the seeds, so that another run tries other inputs. A line for each fuzzer says what it came to. The exit status
# is 1 if there was a finding; its input and the end of its log are in FOLDER/findings.

set -euo pipefail

part_size=31250

usage() {
  sed -n '2,5p' "$0" >&2
  exit 2
}

gather() {
  local build fuzzer name
  build=$(dirname "$0")/../build/fuzz
  rm -rf "$1"
  mkdir -p "$1/bin" "$1/lib"
  for fuzzer in "$build"/bin/halyard-*-fuzzer; do
    name=${fuzzer##*/}
    strip -s -o "$1/bin/$name" "$fuzzer"
    ldd "$fuzzer" | awk '/libspirv-cross/ { print $3 }' | xargs -r cp -t "$1/lib"
    name=${name#halyard-}
    name=${name%-fuzzer}
    mkdir -p "$1/inputs/$name"
    # The seeds, and what reached other code than they did; cp -n keeps the first of a name.
    find "$build/fuzz-seeds/$name" "$build/corpus/$name" -type f -exec cp -n -t "$1/inputs/$name" {} + 2>/dev/null || true
  done
  XZ_OPT='-6 -T0' tar -C "$1" -cJf "$1/fuzzers.tar.xz" bin lib inputs
  rm -rf "$1/bin" "$1/lib" "$1/inputs"
  du -h "$1/fuzzers.tar.xz"
}

# run_part FOLDER NAME PART EXECUTIONS: leaves a line in FOLDER/results/NAME: the status, executions, seconds, the dearest
# inputs' shares of the bounds of memory and steps.
run_part() {
  local folder=$1 name=$2 part=$3 executions=$4 status=0 label=$2-$3 log
  log=$folder/logs/$label.log
  "$folder/bin/halyard-$name-fuzzer" -runs="$executions" -seed="$((${SEED:-1} * 1000 + part))" -timeout=20 \
    -rss_limit_mb=3000 -print_final_stats=1 -detect_leaks="$((part == 1))" \
    -artifact_prefix="$folder/findings/$label-" "$folder/inputs/$name" >"$log" 2>&1 </dev/null || status=$?
  if ((status != 0)); then tail -n 60 "$log" >"$folder/findings/$label.txt"; fi
  awk -v status="$status" '/^stat::number_of_executed_units/ { runs = $2 }
    /^Done [0-9]+ runs in/ { seconds = $5 }
    /^cost: at most.* bytes of memory/ { memory = $4 }
    /^cost: at most.* steps/ { steps = $4 }
    END { print status, runs + 0, seconds + 0, memory + 0, steps + 0 }' "$log" >>"$folder/results/$name"
  rm -f "$log"
}

summarize() {
  awk -v name="$2" '{ bad += $1 != 0; runs += $2; seconds += $3
      if ($4 > memory) memory = $4
      if ($5 > steps) steps = $5 }
    END { printf "%-20s %10d executions, %7d s, %5.1f %% of the bound of memory, %5.1f %% of steps, %s\n",
      name, runs, seconds, memory, steps, bad ? bad " FINDINGS" : "no finding" }' "$1/results/$2"
}

run() {
  local folder executions=$2 jobs=${3:-$(nproc)} name part left
  folder=$(cd "$1" && pwd)
  shift "$(($# < 3 ? $# : 3))"
  [[ $executions =~ ^[1-9][0-9]*$ && $jobs =~ ^[1-9][0-9]*$ ]] || usage
  [[ -d $folder/bin ]] || tar -C "$folder" -xJf "$folder/fuzzers.tar.xz"
  rm -rf "$folder/results" "$folder/findings" "$folder/logs"
  mkdir -p "$folder/results" "$folder/findings" "$folder/logs"
  export LD_LIBRARY_PATH=$folder/lib
  # Parts of different fuzzers in turns, so that the last to end are not all of the slowest.
  local names=("$@")
  if ((${#names[@]} == 0)); then
    for name in "$folder"/bin/halyard-*-fuzzer; do
      name=${name##*/halyard-}
      names+=("${name%-fuzzer}")
    done
  fi
  for ((part = 1, left = executions; left > 0; ++part, left -= part_size)); do
    for name in "${names[@]}"; do
      printf '%s\0%s\0%s\0%s\0' "$folder" "$name" "$part" "$((left < part_size ? left : part_size))"
    done
  done | xargs -0 -n 4 -P "$jobs" "$0" part
  for name in "${names[@]}"; do summarize "$folder" "$name"; done
  [[ -z $(ls "$folder/findings") ]]
}

case ${1:-} in
  gather) (($# == 2)) || usage; gather "$2" ;;
  run) (($# >= 3)) || usage; run "${@:2}" ;;
  part) run_part "${@:2}" ;;
  *) usage ;;
esac
