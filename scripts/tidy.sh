#!/usr/bin/env bash
# Runs clang-tidy over the library, the drivers, the tools and the examples (see .clang-tidy for the checks).
#
#   scripts/tidy.sh [files...]
#
# Each file is read by itself and without precompiled headers: one that lacks an include fails here.
# A file that passed is not checked again while it, what it includes, its flags and the checks stay as they are.
# HALYARD_TIDY_CACHE names the folder that remembers this; with an empty one every file is checked.

source "$(dirname "$0")/internal/steps.sh"

clang_tidy=$(command -v clang-tidy-14 || command -v clang-tidy)
cache=${HALYARD_TIDY_CACHE-${XDG_CACHE_HOME:-$HOME/.cache}/halyard-tidy}
build=build/release
commands=build/tidy # a folder with compile_commands.json
files=("$@")
((${#files[@]} > 0)) || mapfile -t files < <(find src drivers tools examples -name '*.cpp')

# check KEY FILE: the flags are GCC's, some of which clang does not know.
check() {
  "$clang_tidy" --quiet -p "$commands" --warnings-as-errors='*' --extra-arg=-Wno-unknown-warning-option "$2" || return
  [[ $1 == - || -z $cache ]] || touch "$cache/$1"
}

# Prints the keys and names of the files whose key is not in the cache.
files_to_check() {
  local key file
  while read -r key file; do
    [[ -n $cache && -f $cache/$key ]] || printf '%s\0%s\0' "$key" "$file"
  done < <(python3 scripts/internal/tidy_keys.py "$build" "$commands" "$("$clang_tidy" --version; c++ --version)" "${files[@]}")
}

tidy() {
  [[ -z $cache ]] || mkdir -p "$cache"
  mkdir -p "$commands"
  python3 scripts/internal/tidy_commands.py "$build" "$commands"
  export clang_tidy commands cache
  export -f check
  files_to_check | xargs -0 -r -n 2 -P "$jobs" bash -c 'check "$@"' check
}

findings() { grep -A 4 -E '(warning|error):' "$1" | head -n 80; }

step "Configure release" tidy-configure cmake --preset release # for compile_commands.json
explain=findings step "Check the style" tidy tidy
