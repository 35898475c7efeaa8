#!/usr/bin/env bash
# Adds a kind of command, or of queue operation, to a copy of the headers, and compares which files no longer compile:
# the compiler names the places that a new kind must be added to. They are few.
#
#   new_kind.sh command|operation COMPILER INCLUDE-FOLDERS...
set -euo pipefail
kind=$1
compiler=$2
shift 2
root=$(cd "$(dirname "$0")/../../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/halyard" "$folder/driver_kit/queue"
cp "$root/include/halyard/driver_api.h" "$folder/halyard"
cp "$root/src/driver_kit/queue/$kind.h" "$folder/driver_kit/queue"
cd "$folder"

# add FILE TEXT ADDITION: the addition comes behind the text.
add() {
  local text
  text=$(<"$1")
  [[ $text == *"$2"* ]] || { echo "$1 has no '$2'" >&2; exit 1; }
  echo "${text/"$2"/"$2"$3}" >"$1"
}
if [[ $kind == command ]]; then # its header's own overloads included
  add halyard/driver_api.h 'HAL_COMMAND_TYPE_COPY_STRIDED = 10,' ' HAL_COMMAND_TYPE_ADDED = 11,'
  add driver_kit/queue/command.h 'X(HAL_COMMAND_TYPE_BARRIER, "barrier", commands::Barrier{})' \
    ' X(HAL_COMMAND_TYPE_ADDED, "added", commands::Added{})'
  add driver_kit/queue/command.h 'struct NoWork {};' ' struct Added {};'
  add driver_kit/queue/command.h 'void operator()(Barrier) const {}' ' void operator()(Added) const {}'
  add driver_kit/queue/command.h 'void operator()(Order) const {}' ' void operator()(Added) const {}'
  expected='drivers/local/recording/local_commands.cpp
drivers/metal/recording/metal_commands.cpp
drivers/vulkan/recording/vulkan_commands.cpp
src/stream/recording/graph_template.cpp
src/stream/recording/stream_commands.cpp'
else # one that is like none before
  add halyard/driver_api.h 'HAL_QUEUE_OPERATION_TYPE_HOST_CALL = 7,' ' HAL_QUEUE_OPERATION_TYPE_ADDED = 8,'
  add driver_kit/queue/operation.h 'X(HAL_QUEUE_OPERATION_TYPE_BARRIER, "barrier", operations::Barrier{})' \
    ' X(HAL_QUEUE_OPERATION_TYPE_ADDED, "added", operations::Added{})'
  add driver_kit/queue/operation.h 'struct OfDevice {};' ' struct Added {};'
  expected='drivers/local/queue/local_action.cpp
drivers/local/queue/local_immediate.cpp
drivers/metal/queue/metal_action.cpp
drivers/null/null_action.cpp
drivers/vulkan/queue/vulkan_action.cpp
src/driver_kit/queue/operation_action.cpp
src/stream/queue/stream_action.cpp
src/submission/block_action.cpp
src/submission/submission_action.cpp'
fi

# All files that look at the kind, as one: most of the time goes into the headers.
cd "$root"
grep -rlE '\bVisit(Work)?\(' --include='*.cpp' src drivers | sort | sed "s|.*|#include \"$root/&\"|" >"$folder/all.cpp"
"$compiler" -std=c++20 -fsyntax-only -w -fmax-errors=0 "-I$folder" "${@/#/-I}" "$folder/all.cpp" 2>"$folder/log" || true
if grep -E "^$folder/[^:]*:[0-9]+:[0-9]+: error: (expected|stray|redef)" "$folder/log"; then exit 1; fi
found=$(sed -nE "s,^$root/([^:]*\.cpp):[0-9]+:[0-9]+: +(error:|required from).*,\1,p" "$folder/log" | sort -u)
if [[ $found != "$expected" ]]; then
  echo "Files that do not compile (<), and those that were expected (>):"
  diff <(echo "$found") <(echo "$expected") || true
  exit 1
fi
