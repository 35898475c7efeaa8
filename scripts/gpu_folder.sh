#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Gathers what scripts/gpu_check.sh and scripts/vulkan_check.sh need on a machine with a GPU, where nothing can be built:
# programs, libraries and kernels of a release build, which has the kernels for CUDA if scripts/bootstrap.sh --test ran
# before it.
#
#   scripts/gpu_folder.sh [build folder] [target folder]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
target=${2:-build/gpu}

rm -rf "$target"
mkdir -p "$target"/{bin,lib/halyard/kernels,kernels,internal}
for program in halyard-{cts,cuda-tests,vulkan-tests,sharing,ring,bench,info,digits,allreduce,collectives}; do
  found=$(find "$build/bin" -maxdepth 1 -name "$program" -type f | head -1)
  if [ -n "$found" ]; then strip -o "$target/bin/$program" "$found"; fi
done
strip -o "$target/lib/libhalyard.so.0.1" "$build/lib/libhalyard.so.0.1"
# What the machine may lack: what halyard-bench is made with, and Vulkan's loader.
for library in 'libbenchmark\.so\.1' 'libvulkan\.so\.1'; do
  cp -L "$(/sbin/ldconfig -p | awk "/$library/ { print \$NF; exit }")" "$target/lib/"
done
cp -L "$build"/lib/halyard-kernels/*.{so,ptx,spv,halx} "$target/kernels/"
# halyard-bench looks for its kernels where an installation has them.
cp -L "$build"/lib/halyard-kernels/bench_kernels.{ptx,spv,halx} "$target/lib/halyard/kernels/"
cp -L examples/digits/data/*.bin "$target/kernels/"
# What counts the calls of the Vulkan driver, and the layers that check them.
for library in "$build/lib/libvulkan_sim.so" /usr/lib/*/libVkLayer_khronos_validation.so; do
  if [ -f "$library" ]; then strip -o "$target/lib/$(basename "$library")" "$library"; fi
done
layer=/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json
if [ -f "$layer" ]; then
  mkdir "$target/layers"
  sed 's|"libVkLayer_khronos_validation.so"|"../lib/libVkLayer_khronos_validation.so"|' "$layer" >"$target/layers/$(basename "$layer")"
fi
# The HIP driver on CUDA: HIP's functions, and the PTX that runs in the place of each code object.
cp "$build"/lib/halyard-kernels/*.gfx942.hsaco "$target/kernels/"
strip -o "$target/lib/libhip_on_cuda.so" "$build/lib/libhip_on_cuda.so"
"$build/bin/halyard-sim-kernels" "$target/hip-kernels" "$target"/kernels/{cts,bench,digits}_*.halx
rm "$target"/hip-kernels/*.{so,kernels}
# Kernels of other compilers, with inputs and with what NumPy says comes out.
strip -o "$target/bin/halyard-run" "$build/bin/halyard-run"
if python3 -c 'import numpy' 2>/dev/null; then
  mkdir "$target/corpus"
  python3 tests/corpus/gpu/make_cases.py "$build/bin/halyard-pack" tests/corpus "$target/corpus"
  cp tests/corpus/gpu/run_cases.sh "$target/"
else
  echo "gpu_folder.sh: no corpus, as there is no NumPy (apt-get install python3-numpy)" >&2
fi
cp scripts/{gpu,vulkan}_check.sh tests/cuda/python/*.py tests/hip/python/*.py tests/sim/hip_on_cuda/*.py "$target/"
cp scripts/internal/gpu_steps.sh "$target/internal/"
du -sh "$target"
