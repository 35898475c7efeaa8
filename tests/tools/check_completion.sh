#!/usr/bin/env bash
# Completes words as bash would and compares: check_completion.sh SCRIPT FOLDER-OF-PROGRAMS
set -euo pipefail

compopt() { :; } # bash allows it within completions only
source "$1"
PATH=$2:$PATH
cd "$(dirname "$0")"

# expect PROGRAM WORD COMPLETIONS...
expect() {
  _halyard "$1" "$2" || true # nothing found is an answer, too
  if [[ "${COMPREPLY[*]}" != "${*:3}" ]]; then
    echo "$1 $2: completed to '${COMPREPLY[*]}', expected '${*:3}'" >&2
    exit 1
  fi
}

expect halyard-info --dev --device=
expect halyard-info --v --version
expect halyard-pack --exports --exports=
expect halyard-pack --ex --exports= --export=
expect halyard-run --work --workgroups= --workgroup-size=
expect halyard-run exports exports.json
expect halyard-run --no-such-option
