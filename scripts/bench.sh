#!/usr/bin/env bash
# Builds the benchmarks and runs them: prints a table of medians, with the range of the repetitions where two things
# are compared, and writes every number to build/bench.json. Other work on the machine changes times, ratios hardly.
#
#   scripts/bench.sh [Google Benchmark flags...]    e.g. --benchmark_filter=Dispatch

source "$(dirname "$0")/internal/steps.sh"

json=$PWD/build/bench.json

./scripts/bootstrap.sh
./scripts/build.sh release halyard-microbench microbench_kernels

cpu=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
printf '\n%s, %s cores, %s; load when it began: %s\n\n' \
  "${cpu:-unknown CPU}" "$jobs" "$(date +%F)" "$(cut -d ' ' -f 1-3 /proc/loadavg)"
build/release/bin/halyard-microbench --benchmark_repetitions=9 --benchmark_min_time=0.2 \
  --benchmark_enable_random_interleaving=true --benchmark_out="$json" --benchmark_out_format=json "$@"
printf '\nEvery number: %s\n' "${json#"$PWD"/}"
