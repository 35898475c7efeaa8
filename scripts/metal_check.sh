#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# For owners of a Mac with macOS 13 or newer, since Halyard's authors have none: builds Halyard, shows Apple's compiler
# every kernel, runs the conformance suite in each mode of the Metal driver's parameters, plain and under Metal's
# validation, its failures and losses again and again to see that nothing hangs, then the digits demo, a search for leaks
# and a comparison with Metal alone. Gathers what they said in one file to send back: build/release/metal-check.tar.gz.
#
#   scripts/metal_check.sh [options]
#     --filter=PATTERN   cases of the suite, as GoogleTest takes them; all but the slow ones unless told otherwise
#     --build=FOLDER     a build that is there already
#     --simulated        on Linux: the same on the simulated Metal, as far as it goes
#
# Ends with one line for each run, and with 0 if all passed. It needs Xcode's command line tools
# (xcode-select --install), and of Homebrew:
#
#   brew install cmake ninja googletest google-benchmark cli11 nlohmann-json flatbuffers xxhash glslang spirv-tools \
#     spirv-cross
#
# Xcode itself has Apple's offline compiler for Metal; without it the kernels are compiled when they are loaded.
# Written for bash 3.2, which macOS has.

source "$(dirname "$0")/internal/steps.sh"

simulated='' filter='-*Slow*' few='*Queue*:-*Slow*' build=''
for argument in "$@"; do
  case $argument in
    --simulated) simulated=yes ;;
    --filter=*) filter=${argument#*=} few=$filter ;;
    --build=*) build=${argument#*=} ;;
    *) sed -n '8,11s/^# \{0,1\}//p' scripts/metal_check.sh >&2; exit 2 ;;
  esac
done

built=$build
build=${build:-$PWD/build/release}
bin=$build/bin
kernels=$build/lib/halyard-kernels
report=$build/metal-check
logs=$report # where steps.sh puts what commands say
modes='auto arguments=encoder residency=use dispatch=serial transfers=kernel transfers=blit queues=4 in_flight=1'
packages='cmake ninja googletest google-benchmark cli11 nlohmann-json flatbuffers xxhash glslang'
packages="$packages spirv-tools spirv-cross"

if [[ -n $simulated ]]; then
  suffix=-metal other='metal://1' rounds=2
  # Short delays, and what the simulation reports fails the program.
  export HALYARD_METAL_LIBRARY=$build/lib/libmetal_sim.so HALYARD_SIM_DELAY=20 HALYARD_SIM_REPORT=1
else
  suffix='' other='local://task' rounds=20
  [[ $(uname -s) == Darwin ]] || { echo "This is no Mac: scripts/metal_check.sh --simulated runs here." >&2; exit 2; }
fi
targets="halyard-cts$suffix halyard-digits$suffix halyard-metal-overhead"

# within SECONDS COMMAND...: macOS has no timeout(1).
within() { perl -e 'alarm shift; exec @ARGV or exit 127' "$@"; }

# stage TITLE LOG COMMAND...: a step after whose failure the others still run.
stage() { step "$@" || failed+=("$1"); }

skip() { printf '%-28s skipped: %s\n' "$1" "$2"; }

# on_a_mac TITLE LOG COMMAND...: what the simulation cannot do.
on_a_mac() {
  if [[ -n $simulated ]]; then skip "$1" "not a Mac"; else stage "$@"; fi
}

describe_machine() {
  date -u
  uname -srm
  git describe --always --dirty 2>/dev/null || true
  [[ -z $simulated ]] || return 0
  sw_vers
  system_profiler SPDisplaysDataType SPHardwareDataType | grep -v -i -E 'serial|uuid|udid'
  xcode-select -p
  xcrun --show-sdk-version
  c++ --version
  local tool missing=''
  for tool in cmake ninja flatc glslang spirv-opt; do
    command -v "$tool" >/dev/null || missing="$missing $tool"
  done
  [[ -z $missing ]] || { echo "Missing:$missing. Please run: brew install $packages"; return 1; }
}

build_all() {
  local options=(--preset release)
  if [[ -z $simulated ]]; then
    # Warnings of a compiler that was never tried do not count.
    options+=(-DHALYARD_WERROR=OFF "-DCMAKE_PREFIX_PATH=$(brew --prefix 2>/dev/null)")
  fi
  cmake "${options[@]}" || {
    echo "What CMake did not find is in: brew install $packages"
    return 1
  }
  # shellcheck disable=SC2086
  cmake --build "$build" --parallel "$jobs" --target $targets halyard-info halyard-pack
}

apple_compiles() {
  local file status=0
  mkdir -p "$report/metallibs"
  for file in "$kernels"/*.metal drivers/metal/recording/builtin/*.metal; do
    echo "$file"
    xcrun -sdk macosx metal -std=macos-metal2.3 -c "$file" -o "$report/metallibs/$(basename "$file" .metal).air" ||
      status=1
  done
  return "$status"
}

# The suite's kernels once more, as libraries of Apple's compiler in the place of their source.
pack_metallibs() {
  local air name folder=$report/metallibs
  cp "$kernels"/*.so "$kernels"/*.halx "$folder"
  for air in "$folder"/cts_*.air; do
    name=$(basename "$air" .air)
    xcrun -sdk macosx metallib "$air" -o "$folder/$name.metallib"
    "$bin/halyard-pack" --metal="$folder/$name.metallib" --exports="$kernels/$name.exports.json" \
      --output="$folder/$name.halx" --force || return
  done
}

# suite MODE [NAME=VALUE...] [-- OPTIONS...]; `limit` is in seconds
suite() {
  local uri="metal://0?$1" settings
  shift
  [[ $uri != *'?auto' ]] || uri=metal://0
  settings=(HALYARD_CHECK=yes)
  while (($# > 0)) && [[ $1 != -- ]]; do
    settings+=("$1")
    shift
  done
  (($# == 0)) || shift
  within "${limit:-3600}" env "${settings[@]}" "$bin/halyard-cts$suffix" --device="$uri" --second-device="$other" \
    --exclusions="$report/exclusions.txt" --gtest_filter="$filter" "$@"
}

# count_cases LOG
count_cases() {
  printf '%30s%s passed, %s failed, %s skipped\n' '' "$(grep -c '^\[       OK \]' "$report/$1.log")" \
    "$(grep -c '^\[  FAILED  \].*ms)' "$report/$1.log")" "$(grep -c '^\[  SKIPPED \].*ms)' "$report/$1.log")"
}

run_suites() {
  local mode
  for mode in $modes; do
    stage "Suite, $mode" "suite-$mode" suite "$mode"
    count_cases "suite-$mode"
    [[ -z $simulated ]] || filter=$few # on Linux CTest runs the modes: here the script is tried
  done
  for mode in $modes; do
    on_a_mac "Validated, $mode" "validated-$mode" suite "$mode" MTL_DEBUG_LAYER=1 MTL_SHADER_VALIDATION=1
    [[ -n $simulated ]] || count_cases "validated-$mode"
  done
}

run_metallibs() {
  if [[ -n $simulated ]]; then
    skip "Apple's compiler" "not a Mac"
    skip "Suite, metallibs" "not a Mac"
  elif ! xcrun -sdk macosx --find metal >/dev/null 2>&1; then
    skip "Apple's compiler" "no xcrun metal; it comes with Xcode"
    skip "Suite, metallibs" "no xcrun metal"
  else
    stage "Apple's compiler" compiler apple_compiles
    stage "Pack metallibs" metallibs pack_metallibs
    stage "Suite, metallibs" suite-metallibs suite auto -- --kernels="$report/metallibs"
    count_cases suite-metallibs
  fi
}

# Failures and losses, each time in another order and with other random work. A wait has 10 seconds. A call that does not
# return ends the program, which names the case.
nothing_hangs() {
  local mode round limit=300
  for ((round = 0; round < rounds; ++round)); do
    for mode in auto 'queues=4&in_flight=1'; do
      suite "$mode" -- --deadline=10 --gtest_shuffle \
        --gtest_filter='*Loss*:*Failure*:*Refusal*:*RandomDag*:RobustnessTest.*:-*Slow*' || return
    done
  done
}

digits() {
  within 600 "$bin/halyard-digits$suffix" --device=metal://0 --repeat=2 --show=0 >"$report/digits.txt" || return
  cat "$report/digits.txt"
  grep -q '^accuracy: 98\.6 %' "$report/digits.txt"
}

find_leaks() {
  within 1800 leaks --atExit -- "$bin/halyard-cts" --device=metal://0 --exclusions="$report/exclusions.txt" \
    --gtest_filter='*Queue*:*Executable*:*CommandBuffer*:-*Slow*'
}

# Metal alone blocks its caller, which the simulation would report.
overhead() { within 600 env HALYARD_SIM_REPORT=0 "$bin/halyard-metal-overhead" metal://0 ${simulated:+100}; }

main() {
  step "Machine and tools" machine describe_machine || return
  if [[ -n $built ]]; then skip "Build" "built already"; else stage "Build" build build_all; fi
  [[ -x $bin/halyard-cts$suffix ]] || { echo "Verdict: there is no $bin/halyard-cts$suffix to run"; return 1; }
  on_a_mac "Device" device within 60 "$bin/halyard-info" --device=metal://0
  run_metallibs
  run_suites
  stage "Nothing hangs" hangs nothing_hangs
  count_cases hangs
  stage "Digits demo, 98.6 %" digits digits
  on_a_mac "Leaks" leaks find_leaks
  stage "Overhead" overhead overhead
  sed 's/^/    /' "$report/overhead.log"
  if finish; then echo "Verdict: all passed"; else echo "Verdict: something failed"; return 1; fi
}

rm -rf "$report"
mkdir -p "$report"
# The cases of registries concern programs whose library lacks the driver.
if [[ -n $simulated ]]; then elsewhere='^$'; else elsewhere='^fail RegistryTest'; fi
grep -v "$elsewhere" tests/metal/metal_exclusions.txt >"$report/exclusions.txt"
status=0
main | tee "$report/summary.txt" || status=1
rm -rf "$report/metallibs"
tar -czf "$build/metal-check.tar.gz" -C "$build" metal-check
echo "To send back: $build/metal-check.tar.gz"
exit "$status"
