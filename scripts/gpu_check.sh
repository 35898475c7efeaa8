#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs on a machine with an NVIDIA GPU, from a folder that scripts/gpu_folder.sh made: the conformance suite, once for
# each pair of a completion mode and a command buffer mode; the tests that need real hardware, none of which may be
# skipped; sixteen threads with ten thousand submissions each; the suite and the tests of hardware under
# compute-sanitizer, where that is installed; the suite across two devices, where there are two; PyTorch beside Halyard,
# where there is one; the comparison with the bare driver API; the digits demo and how many it gets right; kernels that
# Triton and nvcc made for architecture 9.0, against NumPy.
#
#   gpu_check.sh [device] [gtest filter]      # cuda://0, everything but the slow cases
#
# For hip://0 it is the HIP driver that runs, on the NVIDIA GPU, over tests/sim/hip_on_cuda: without what is about CUDA
# alone, and with the comparison of both drivers with the bare driver API.
#
# SHARDS processes share the cases; MODES names the pairs; MEMCHECK_LIMIT is what the suite may take under
# compute-sanitizer, in seconds for each of two pairs. Ends with one line for each run, and with 0 if all passed.
# Reports go to $OUT, or to the folder itself.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
device=${1:-cuda://0}
filter=${2:--*Slow*}
out=${OUT:-$here}
source "$here/internal/gpu_steps.sh"
export HALYARD_CUDA_TEST_DEVICE=$device
driver=${device%%://*}
modes='fast-auto fast-graph fast-stream portable-auto portable-graph portable-stream'
memcheck_modes='fast-graph portable-stream'
if [ "$driver" = hip ]; then
  export HALYARD_HIP_LIBRARY=${HALYARD_HIP_LIBRARY:-$here/lib/libhip_on_cuda.so}
  export HALYARD_HIP_ON_CUDA_KERNELS=$here/hip-kernels
  modes='fast-graph fast-stream'
  memcheck_modes=$modes
fi

describe_gpu

# parameters MODE: those of a device, for a pair such as fast-graph.
parameters() { echo "completion=${1%-*}&command_buffer=${1#*-}"; }

for mode in ${MODES:-$modes}; do
  suite "cts-$mode" "${LIMIT:-250}" "$filter" "$device?$(parameters "$mode")"
done

if [ -z "${ONLY_SUITE:-}" ]; then
  if [ "$driver" = cuda ] && [ -x "$here/bin/halyard-cuda-tests" ]; then
    run cuda-tests 120 "$here/bin/halyard-cuda-tests" --gtest_brief=1
    no_skips cuda-tests
  fi
  for mode in fast portable; do
    run threads-$mode 120 "$here/bin/halyard-cts" --device="$device?completion=$mode" --kernels="$here/kernels" \
      --gtest_brief=1 --gtest_filter='*QueueThreadsTest*'
  done
  if command -v nvidia-smi >/dev/null && [ "$(nvidia-smi -L | grep -c '^GPU ')" -ge 2 ]; then
    for pair in 0-1 1-0; do
      suite_options=("--second-device=$driver://${pair#*-}")
      suite "cts-devices-$pair" 120 '-*Slow*' "$driver://${pair%-*}"
    done
    suite_options=()
  else
    summary+=("cts-devices: not run, there is one device")
  fi
  if command -v compute-sanitizer >/dev/null; then
    # Other reports are of calls that may fail and are handled, such as asking for one parameter too many.
    memcheck=(compute-sanitizer --tool memcheck --leak-check full --report-api-errors no --error-exitcode 9)
    for mode in $memcheck_modes; do
      suite "memcheck-$mode" "${MEMCHECK_LIMIT:-120}" '-*Slow*' "$device?$(parameters "$mode")" "${memcheck[@]}"
      clean=$(grep -c 'ERROR SUMMARY: 0 errors' "$out/memcheck-$mode.log")
      if [ "$clean" -ne "$shards" ]; then complain "memcheck-$mode" "$clean of $shards processes are without errors"; fi
    done
    # Without kernels that are meant to fail, processes that end at work, and durations; and without captures, which
    # calls of the tool itself disturb.
    if [ "$driver" = cuda ] && [ -x "$here/bin/halyard-cuda-tests" ]; then
      run memcheck-cuda-tests 90 "${memcheck[@]}" "$here/bin/halyard-cuda-tests" --gtest_brief=1 \
        --gtest_filter='-*CudaFaultTest*:*CudaExitTest*:*CudaProfilingTest*:*DoesNotBlock:*CudaCaptureTest*:*DamagedTexts*'
      no_skips memcheck-cuda-tests
    fi
  else
    summary+=("memcheck: not run, there is no compute-sanitizer")
  fi
  digits
  if [ "$driver" = cuda ] && [ -d "$here/corpus" ]; then
    run corpus 120 "$here/run_cases.sh" "$here/bin/halyard-run" "$here/corpus" "$device"
    cat "$out/corpus.log"
  fi
  if [ "$driver" = hip ]; then
    if [ "${device#*://}" = 0 ]; then
      run hip-interop 120 python3 "$here/hip_interop.py" "$here/lib/libhalyard.so.0.1"
      cat "$out/hip-interop.log"
    fi
    # One after the other, against the same program: so the ratios of both can be compared.
    rows='overhead/(one_shot|spinning_host|sleeping_host|submission|queue_edge|graph)'
    overhead overhead-cuda --device="cuda://${device#*://}" --filter="$rows"
    overhead overhead-hip --device="$device" --counterpart=cuda --filter="$rows"
    run overhead-ratios 10 python3 "$here/driver_ratios.py" "$out/overhead-hip.json" "$out/overhead-cuda.json"
    cat "$out/overhead-ratios.log"
  elif python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null; then
    # Both take the first device that they see.
    run torch-interop 120 env CUDA_VISIBLE_DEVICES="${device#cuda://}" python3 "$here/torch_interop.py" \
      "$here/lib/libhalyard.so.0.1"
    cat "$out/torch-interop.log"
  else
    summary+=("torch-interop: not run, there is no python3 with torch that finds a GPU")
  fi
  if [ "$driver" = cuda ] && [ -x "$here/bin/halyard-bench" ]; then
    overhead overhead --device="$device" --filter=overhead
  fi
fi

printf '%s\n' "${summary[@]}"
exit "$failed"
