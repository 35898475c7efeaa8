#!/bin/bash
# Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Gathers what scripts/gpu_check.sh needs on a machine with a GPU, where nothing can be built: programs, libraries and
# kernels of a release build.
#
#   scripts/gpu_folder.sh [build folder] [target folder]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
target=${2:-build/gpu}

rm -rf "$target"
mkdir -p "$target"/{bin,lib,kernels}
for program in halyard-cts halyard-cuda-tests halyard-cuda-overhead halyard-info halyard-digits; do
  found=$(find "$build/bin" -maxdepth 1 -name "$program" -type f | head -1)
  if [ -n "$found" ]; then strip -o "$target/bin/$program" "$found"; fi
done
strip -o "$target/lib/libhalyard.so.0.1" "$build/lib/libhalyard.so.0.1"
# The thread pool of local://task, which the machine may lack.
cp -L "$(ldconfig -p | awk '/libtbb\.so\.12/ { print $NF; exit }')" "$target/lib/"
cp -L "$build"/lib/halyard-kernels/*.{so,ptx} "$target/kernels/"
cp "$build"/lib/halyard-kernels/digits_kernels.halx "$target/kernels/"
cp -L examples/digits/data/*.bin "$target/kernels/"
cp scripts/gpu_check.sh "$target/"
du -sh "$target"
