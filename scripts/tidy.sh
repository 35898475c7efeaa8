#!/usr/bin/env bash
# Runs clang-tidy over the library, the drivers, the tools and the examples (see .clang-tidy for the checks).
#
#   scripts/tidy.sh [files...]

source "$(dirname "$0")/internal/steps.sh"

clang_tidy=$(command -v clang-tidy-14 || command -v clang-tidy)
files=("$@")

sources() {
  if ((${#files[@]} > 0)); then
    printf '%s\0' "${files[@]}"
  else
    find src drivers tools examples -name '*.cpp' -print0
  fi
}

# The flags are GCC's, some of which clang does not know.
tidy() {
  sources | xargs -0 -r -n 1 -P "$jobs" "$clang_tidy" --quiet -p build/release --warnings-as-errors='*' \
    --extra-arg=-Wno-unknown-warning-option
}

findings() { grep -A 4 -E '(warning|error):' "$1" | head -n 80; }

step "Configure release" tidy-configure cmake --preset release # for compile_commands.json
explain=findings step "Check the style" tidy tidy
