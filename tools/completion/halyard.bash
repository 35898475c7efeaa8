# Completes the options of Halyard's tools, as their help texts list them, and file names everywhere else.
# shellcheck shell=bash

_halyard() {
  local program=$1 current=$2
  COMPREPLY=()
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$("$program" --help 2>/dev/null |
      sed -nE 's/^  (-[a-z], )?(--[a-z0-9_-]+=?).*/\2/p')" -- "$current")
    if [[ ${COMPREPLY[0]-} == *= ]]; then compopt -o nospace; fi
    return
  fi
  if [[ $current == "=" ]]; then current=; fi
  compopt -o filenames
  mapfile -t COMPREPLY < <(compgen -f -- "$current")
}

complete -F _halyard halyard-bench halyard-cts halyard-info halyard-kernels halyard-pack halyard-run
