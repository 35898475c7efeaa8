#!/usr/bin/env bash
# Runs clang-tidy over the library, the drivers, the tools and the examples (see .clang-tidy for the checks).
#
#   scripts/tidy.sh [files...]
#
# Up to three files of a folder are checked each by itself, so that a missing include is an error; more are checked as
# one, as the build compiles them. A file that passed is not checked again while it, what it includes, its flags
# and the checks stay as they are. HALYARD_TIDY_CACHE names the folder that remembers this; with an empty one every file
# is checked. scripts/internal/tidy.py says how.

source "$(dirname "$0")/internal/steps.sh"

clang_tidy=$(command -v clang-tidy-14 || command -v clang-tidy)
cache=${HALYARD_TIDY_CACHE-${XDG_CACHE_HOME:-$HOME/.cache}/halyard-tidy}
build=build/release
commands=build/tidy # a folder with compile_commands.json
files=("$@")
# Sources of other systems cannot be read here.
((${#files[@]} > 0)) || mapfile -t files < <(find src drivers tools examples -name '*.cpp' \
  -not -path 'src/platform/darwin/*' -not -path 'src/platform/windows/*' -not -path 'src/platform/none/*')

findings() { grep -A 4 -E '(warning|error):' "$1" | head -n 80; }

# For compile_commands.json, and the header that the build generates.
prepare() { cmake --preset release && cmake --build --preset release --target halyard_generate_schemas; }

step "Configure release" tidy-configure prepare
explain=findings step "Check the style" tidy \
  python3 scripts/internal/tidy.py "$build" "$commands" "$cache" "$clang_tidy" "$jobs" "${files[@]}"
