#!/usr/bin/env bash
# Makes sim_kernels.gfx942.hsaco of sim_kernels.hip with clang-19 and lld-19. It is checked in because not every machine
# has them.

set -euo pipefail
cd "$(dirname "$0")"
clang++-19 -x hip --cuda-device-only -nogpuinc -nogpulib --no-gpu-bundle-output -mcode-object-version=4 -std=c++17 -O3 \
  --offload-arch=gfx942 sim_kernels.hip -o sim_kernels.gfx942.hsaco
chmod -x sim_kernels.gfx942.hsaco
