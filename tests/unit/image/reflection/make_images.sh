#!/usr/bin/env bash
# Makes the images of the reflection tests, which are checked in because most machines lack the compilers:
# clang-19, lld-19, clang-tools-19, glslang-tools and spirv-tools of Debian 12, and of NVIDIA nvcc 13.0 and, for the older kind of cubin, ptxas 12.4
# (both come as Python packages). The compilers' version strings stay in the images.
#
#   NVCC=nvcc PTXAS_12=…/ptxas tests/unit/image/reflection/make_images.sh

set -euo pipefail
cd "$(dirname "$0")/sources"
nvcc=$(command -v "${NVCC:-nvcc}")
ptxas_12=${PTXAS_12:-ptxas}
out=../images
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# PTX: nvcc writes .ptr for compute_100 and later alone; clang 19 writes it nowhere.
"$nvcc" -ptx -arch=compute_90 kernels.cu -o $out/nvcc13_sm_90.ptx
"$nvcc" -ptx -arch=compute_100 kernels.cu -o $out/nvcc13_sm_100.ptx
clang-19 --target=nvptx64-nvidia-cuda -march=sm_70 -x cl -cl-std=CL2.0 -O2 -nogpulib -S kernels.cl -o $out/clang19_sm_70.ptx

# Machine code of NVIDIA: ABI 8 (CUDA 13) and ABI 7 (CUDA 12).
for arch in sm_75 sm_90a sm_120; do "$nvcc" -cubin -arch=$arch kernels.cu -o $out/nvcc13_$arch.cubin; done
"$nvcc" -ptx -arch=compute_75 kernels.cu -o "$work/kernels.ptx"
sed -i 's/^\.version.*/.version 8.4/; s/^\.target.*/.target sm_90a/' "$work/kernels.ptx"
"$ptxas_12" -arch=sm_90a "$work/kernels.ptx" -o $out/ptxas12_sm_90a.cubin

cp spaces.ptx $out
"$(dirname "$nvcc")/ptxas" -arch=sm_90 spaces.ptx -o $out/spaces.cubin

# Mangled names, clusters, dynamic local memory and a texture.
"$nvcc" -ptx -arch=compute_90 mangled.cu -o $out/nvcc13_mangled.ptx
"$nvcc" -cubin -arch=sm_90 mangled.cu -o $out/nvcc13_mangled.cubin

# Arrays as Warp, CuTe, Numba and Slang pass them.
"$nvcc" -ptx -arch=compute_80 arrays.cu -o $out/nvcc13_arrays.ptx
sed -i s/numba_raw/_ZN8__main__3rawEi8int32_2a/ $out/nvcc13_arrays.ptx
"$(dirname "$nvcc")/ptxas" -arch=sm_80 $out/nvcc13_arrays.ptx -o $out/nvcc13_arrays.cubin

# A small kernel, so that the containers stay small.
printf 'extern "C" __global__ void __launch_bounds__(32) set(float* y, int n) { y[threadIdx.x] = n; }\n' >"$work/set.cu"
several=(-gencode arch=compute_80,code=sm_80 -gencode "arch=compute_90,code=[sm_90,compute_90]")
"$nvcc" -ptx -arch=compute_90 "$work/set.cu" -o $out/nvcc13_set.ptx
"$nvcc" -fatbin "${several[@]}" "$work/set.cu" -o $out/nvcc13.fatbin
"$nvcc" -fatbin --no-compress "${several[@]}" "$work/set.cu" -o $out/nvcc13_plain.fatbin
"$nvcc" -fatbin -gencode arch=compute_90,code=compute_90 "$work/set.cu" -o $out/nvcc13_compressed.fatbin

# Machine code of AMD.
hsaco() { clang-19 --target=amdgcn-amd-amdhsa -mcpu="$1" -mcode-object-version="$2" -x cl -cl-std=CL2.0 -O2 -nogpulib \
  -Wl,--strip-all kernels.cl -o "$out/$3"; }
hsaco gfx90a 4 clang19_gfx90a_v4.hsaco
hsaco gfx90a:sramecc+:xnack- 5 clang19_gfx90a_features_v5.hsaco
hsaco gfx1100 5 clang19_gfx1100_v5.hsaco
hsaco gfx11-generic 6 clang19_gfx11_generic_v6.hsaco
hip() { clang-19 -x hip "$@" -nogpuinc -nogpulib -O2 --offload-device-only kernels.hip; }
hip --offload-arch=gfx90a --offload-arch=gfx942 --offload-arch=gfx1100 -o $out/clang19.hipfb
hip --offload-arch=gfx90a --offload-compress -o $out/clang19_compressed.hipfb

# SPIR-V: glslang 12, with the size of a workgroup as a constant (1.5) and by LocalSizeId (1.6).
glsl() { glslangValidator -S comp --target-env "$1" -e "${2%.comp}" --source-entrypoint main "$2" -o "$3"; }
for kernel in saxpy sized sparse length double picture subgroup dispatched sized_array \
    memory_bytes memory_counted memory_length memory_twice aliases packed_aliases mixed typed uniform array widths shared lengths \
    plain square blocks addresses bools sized_sum shared_blocks nested computed; do
  glsl vulkan1.2 $kernel.comp $out/glslang12_$kernel.spv
done
glsl vulkan1.1 calls.comp $out/glslang12_calls.spv
glsl vulkan1.0 calls.comp $out/glslang12_calls_v10.spv
spirv-as --target-env spv1.3 opencl.spvasm -o $out/opencl.spv
spirv-as --target-env vulkan1.2 memory_whole.spvasm -o $out/memory_whole.spv
spirv-as --target-env spv1.4 awkward.spvasm -o $out/awkward.spv
spirv-as --target-env spv1.6 computed_side.spvasm -o $out/computed_side.spv
spirv-as --target-env spv1.6 dot.spvasm -o $out/dot.spv
spirv-as --target-env spv1.3 matrix.spvasm -o $out/matrix.spv
spirv-as --target-env spv1.5 subgroups.spvasm -o $out/subgroups.spv
glsl vulkan1.3 sized.comp $out/glslang12_sized_v16.spv
glsl vulkan1.3 typed.comp $out/glslang12_typed_v16.spv
glsl vulkan1.3 plain.comp $out/glslang12_plain_v16.spv
for kernel in saxpy sparse; do spirv-opt --eliminate-dead-const $out/glslang12_$kernel.spv -o "$work/$kernel.spv"; done
spirv-link --target-env vulkan1.2 "$work/saxpy.spv" "$work/sparse.spv" -o $out/glslang12_two.spv

# A shared object of the host that tells its kernels.
cc -O2 -shared -fPIC -nostdlib -s -Wl,-z,noseparate-code -I../../../../include kernels.c -o $out/host_x86_64.so
chmod -x $out/*
