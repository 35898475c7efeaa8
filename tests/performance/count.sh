#!/usr/bin/env bash
# Counts the instructions of the paths in paths.cpp and compares them with counts.csv, by callgrind: the same number each
# time, however busy the machine is. Fails where a path takes over 3 % more, or 3 % less: then the file is out of date.
#
#   count.sh PROGRAM [--update]
set -euo pipefail
program=$1
expected=$(dirname "$0")/counts.csv
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

valgrind --tool=callgrind --callgrind-out-file="$folder/out" "$program" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
# Each part has a line with the path's name and one with the sum of 1,000 calls.
for part in "$folder"/out.*; do
  awk '/^desc: Trigger: Client Request: / { name = $NF } /^totals:/ { total = $2 } /^summary:/ { if (!total) total = $2 }
       END { if (name) printf "%s,%d\n", name, total / 1000 + 0.5 }' "$part"
done | sort >"$folder/counts"
[[ -s $folder/counts ]] || { echo "callgrind counted nothing"; cat "$folder/log"; exit 1; }

if [[ ${2:-} == --update ]]; then
  { echo "path,instructions"; cat "$folder/counts"; } >"$expected"
  exit
fi
awk -F, 'NR == FNR { if (FNR > 1) expected[$1] = $2; next }
     { seen[$1] = 1; ratio = $1 in expected ? $2 / expected[$1] : 0
       verdict = ratio == 0 ? "NEW" : ratio > 1.03 ? "MORE" : ratio < 0.97 ? "FEWER, run count.sh --update" : "ok"
       if (verdict != "ok") bad = 1
       printf "%-28s %6d instructions, recorded %6d: %s\n", $1, $2, expected[$1], verdict }
     END { for (path in expected) if (!(path in seen)) { print path ": not counted"; bad = 1 } exit bad }' \
  "$expected" "$folder/counts"
