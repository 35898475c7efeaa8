# Completes the options of Halyard's tools, as their help texts list them, and file names everywhere else.
# shellcheck shell=bash

_halyard() {
  local program=$1 current=$2
  COMPREPLY=()
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$("$program" --help 2>/dev/null |
      sed -nE 's/^  (-[a-z], )?(--[a-z0-9-]+=?).*/\2/p')" -- "$current")
    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
    return
  fi
  [[ $current == "=" ]] && current=
  compopt -o filenames
  mapfile -t COMPREPLY < <(compgen -f -- "$current")
}

complete -F _halyard halyard-bench halyard-cts halyard-info halyard-pack halyard-run
