#!/usr/bin/env bash
# Configures and builds a preset: release (the default), debug, asan or tsan.
#
#   scripts/build.sh [preset [targets...]]

source "$(dirname "$0")/internal/steps.sh"

preset=${1:-release}
targets=("${@:2}")

use_clang "$preset"
build() {
  cmake --preset "$preset" &&
    cmake --build --preset "$preset" --parallel "$jobs" ${targets[@]:+--target "${targets[@]}"}
}

# Ninja prints what failed where it failed, amid what was still running.
failed_commands() { grep -n -A 30 -m 3 -E '^FAILED:|CMake Error' "$1" || last_lines "$1"; }

explain=failed_commands step "Build $preset" "build-$preset" build
