#!/usr/bin/env bash
# Formats the C and C++ sources in place. With --check it changes nothing and fails if something would change.

source "$(dirname "$0")/internal/steps.sh"

clang_format=$(command -v clang-format-14 || command -v clang-format)

sources() {
  find include src drivers tools tests benchmarks examples integrations python -type f \
    \( -name '*.h' -o -name '*.c' -o -name '*.cpp' -o -name '*.hpp' -o -name '*.mm' \) -print0
}

check() { sources | xargs -0 -r "$clang_format" --dry-run --Werror; }
apply() { sources | xargs -0 -r "$clang_format" -i; }

# One line per file, with the number of places.
misformatted() { sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: error:.*/\1/p' "$1" | sort | uniq -c; }

if [[ ${1:-} == --check ]]; then
  explain=misformatted step "Check the formatting" format check || { echo "scripts/format.sh puts it right."; exit 1; }
else
  step "Format" format apply
fi
