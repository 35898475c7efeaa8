#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs on a machine with a GPU that Vulkan finds, from a folder that scripts/gpu_folder.sh made: the conformance suite
# with 1, 4 and 8 queues, and with 4 under the validation layers; the Vulkan driver's own tests; sixteen threads with ten
# thousand mixed submissions each; the suite across two devices, where there are two, and across a Vulkan and a CUDA
# device; a buffer that CUDA and Vulkan share, checked a thousand times; the digits demo and how many it gets right; the
# comparison with Vulkan itself; a kernel that faults, in a process of its own, with the time until it is told.
#
#   vulkan_check.sh [device] [gtest filter]      # vulkan://0, everything but the slow cases
#
# SHARDS processes share the cases; QUEUES has the numbers of queues; LIMIT is what one suite may take, in seconds; BENCH
# has options for the comparison, BENCH_FILTER its lines, BENCH_LIMIT its seconds; ONLY_SUITE=1 runs the suite alone. Ends
# with one line for each run and a verdict, and with 0 if all passed. A missed target of the comparison is no failure.
# Reports go to $OUT, or to the folder itself.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
device=${1:-vulkan://0}
filter=${2:--*Slow*}
out=${OUT:-$here}
source "$here/internal/gpu_steps.sh"

finds() { timeout 60 "$here/bin/halyard-info" --device="$1"; }
finds_device() { finds "$device" >"$out/info.log" 2>&1; }

# Where only NVIDIA's libraries for EGL are installed, which have Vulkan too, no manifest tells the loader of them.
write_manifest() {
  local library
  library=$(find /usr/lib /usr/lib64 /usr/local /opt -name libEGL_nvidia.so.0 2>/dev/null | head -1)
  [ -n "$library" ] || return
  printf '{"file_format_version": "1.0.1", "ICD": {"library_path": "%s", "api_version": "1.3.0"}}\n' "$library" \
    >"$out/nvidia_icd.json"
  export VK_ICD_FILENAMES=$out/nvidia_icd.json VK_DRIVER_FILES=$out/nvidia_icd.json
}

describe_gpu
if ! finds_device && { [ -n "${VK_ICD_FILENAMES:-}${VK_DRIVER_FILES:-}" ] || ! write_manifest || ! finds_device; }; then
  cat "$out/info.log"
  echo "Verdict: Vulkan has no device $device here"
  exit 1
fi
cat "$out/info.log"

for queues in ${QUEUES:-1 4 8}; do
  uri="$device?queues=$queues"
  suite_options=("--second-device=$uri")
  suite "cts-queues-$queues" "${LIMIT:-250}" "$filter" "$uri"
done

# No message of the layers, of which the driver's are marked with the word.
if [ -z "${ONLY_SUITE:-}" ] && [ -d "$here/layers" ]; then
  export VK_LAYER_PATH=$here/layers
  uri="$device?queues=4&validation=on"
  suite_options=("--second-device=$uri")
  suite cts-validated "${LIMIT:-250}" "$filter" "$uri"
  if grep -q 'VUID-\|UNASSIGNED-\|SYNC-HAZARD' "$out/cts-validated.log"; then
    complain cts-validated "the layers have messages"
  fi
  unset VK_LAYER_PATH
fi

if [ -z "${ONLY_SUITE:-}" ]; then
  if [ -x "$here/bin/halyard-vulkan-tests" ]; then
    # Some simulate what Mesa's device has not, and know what it has.
    mesa='BudgetTest.*:SubgroupTest.PipelinesAsk*:SubgroupTest.WhatTheDevice*:VulkanExitTest.AChildOfFork*'
    HALYARD_VULKAN_LIBRARY=$here/lib/libvulkan_sim.so run vulkan-tests 120 "$here/bin/halyard-vulkan-tests" \
      --gtest_brief=1 "--gtest_filter=-FaultTest.*:$mesa" "$here/kernels"
  fi
  run threads 120 "$here/bin/halyard-cts" --device="$device?queues=8" --kernels="$here/kernels" \
    --gtest_filter='*QueueThreadsTest*'
  grep '^\[       OK \].*ms)' "$out/threads.log"
  if finds vulkan://1 >"$out/info-1.log" 2>&1; then
    for pair in 0-1 1-0; do
      suite_options=("--second-device=vulkan://${pair#*-}")
      suite "cts-devices-$pair" 120 '-*Slow*' "vulkan://${pair%-*}"
    done
  else
    summary+=("cts-devices: not run, there is one device")
  fi
  if finds cuda://0 >"$out/info-cuda.log" 2>&1; then
    for pair in vulkan-cuda cuda-vulkan; do
      suite_options=("--second-device=${pair#*-}://0")
      suite "cts-$pair" 120 '*CrossDevice*' "${pair%-*}://0"
    done
  else
    summary+=("cts-vulkan-cuda: not run, there is no CUDA device")
  fi
  suite_options=()
  run sharing 60 "$here/bin/halyard-sharing" --repeat=1000
  digits
  # shellcheck disable=SC2086
  [ -x "$here/bin/halyard-bench" ] && overhead overhead --device="$device" --filter="${BENCH_FILTER:-overhead}" ${BENCH:-}
  # The last step, as a GPU may not recover at once.
  if [ -x "$here/bin/halyard-vulkan-tests" ]; then
    HALYARD_VULKAN_LIBRARY=$here/lib/libvulkan_sim.so run fault 120 "$here/bin/halyard-vulkan-tests" \
      '--gtest_filter=FaultTest.*' "$here/kernels"
    no_skips fault
    told=$(grep -o 'told after .*' "$out/fault.log")
    if [ -n "$told" ]; then summary+=("fault: $told"); else complain fault "no loss was told"; fi
  fi
fi

printf '%s\n' "${summary[@]}"
if [ "$failed" -eq 0 ]; then echo "Verdict: all passed"; else echo "Verdict: something failed"; fi
exit "$failed"
