#!/usr/bin/env bash
# Draws the plots of docs/performance: what an operation costs against how many of them there are, from benchmarks that
# it runs. Takes some minutes.
#
#   scripts/plots.sh [folder]    # docs/performance

source "$(dirname "$0")/internal/steps.sh"

folder=${1:-docs/performance}
json=$PWD/build/plots.json

./scripts/build.sh release halyard-microbench halyard-bench microbench_kernels bench_kernels
build/release/bin/halyard-microbench --benchmark_filter='^Deferred' --benchmark_out="$json" --benchmark_out_format=json
python3 scripts/internal/plot.py 'Deferred operations of local://sync, all at once' "$folder/deferred.svg" \
  DeferredInOrder DeferredAtRandom <"$json"
build/release/bin/halyard-bench --device=local://sync --filter='^recording/' --output="$json"
python3 scripts/internal/plot.py 'Commands of one command buffer on local://sync' "$folder/recording.svg" \
  recording/dispatches recording/dispatches_and_barriers recording/fills_of_4_KiB recording/record_dispatches <"$json"
printf '\nDrawn: %s\n' "$folder"/*.svg
