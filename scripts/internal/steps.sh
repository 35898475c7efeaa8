# shellcheck shell=bash
# Sourced by the scripts beside this folder: run a step quietly, say how long it took, show what failed.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

jobs=$(nproc 2>/dev/null || sysctl -n hw.ncpu) # macOS has no nproc
logs=build/logs
unset explain # of a script that runs this one

# With ccache, what was compiled once, in whatever checkout, is not compiled again. Paths below this folder count as
# relative, so that checkouts share what they have.
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER-ccache}
  export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-ccache}
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_COMPRESSLEVEL=1 CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-10G}
  export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
fi

# use_clang PRESET: the presets with sanitizers are compiled by Clang where it is installed with its runtime, which takes
# less than half of GCC's time there. The other presets keep the compiler that CMake finds.
use_clang() {
  [[ $1 == asan || $1 == tsan ]] && [[ -z ${CXX:-} ]] || return 0
  local version
  for version in 19 18; do
    if command -v "clang++-$version" >/dev/null &&
      compgen -G "/usr/lib/llvm-$version/lib/clang/*/lib/linux/libclang_rt.asan-*.a" >/dev/null; then
      export CC=clang-$version CXX=clang++-$version
      return
    fi
  done
}

# step TITLE LOG COMMAND...: one line of output when all is well; the end of the log when not.
# `explain`, if set, names a function that prints what a reader needs from the log instead of its last lines.
step() {
  local title=$1 log=$logs/$2.log start=$SECONDS status=0
  shift 2
  mkdir -p "$logs"
  printf '%-28s ' "$title"
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if ((status == 0)); then
    printf 'ok      %4d s\n' $((SECONDS - start))
  else
    printf 'FAILED  %4d s\n\n' $((SECONDS - start))
    "${explain:-last_lines}" "$log"
    printf '\nThe whole log: %s\n' "$log"
  fi
  return "$status"
}

last_lines() { tail -n 40 "$1"; }

# attempt COMMAND...: carries on after a failure, which finish() then turns into the exit status.
attempt() { "$@" || failed+=("$*"); }
failed=()

finish() {
  local failure
  # Bash 3.2, which macOS has, takes an empty array for one that is not set.
  for failure in ${failed[@]+"${failed[@]}"}; do echo "failed: $failure"; done
  ((${#failed[@]} == 0))
}
