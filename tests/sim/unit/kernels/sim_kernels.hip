// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of sim_kernels.ptx as clang compiles them for AMD's devices; make_code_object.sh does. The bodies are
// never looked into: the simulation runs sim_kernels.c.
#define KERNEL(most) extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(1, most))) void

template <int bytes>
struct Block {
  unsigned words[bytes / 4];
};

KERNEL(256) scale(float* y, float a, const float* x, unsigned count) {
  if (count != 0) *y = a * *x;
}
KERNEL(1) append(unsigned* log, unsigned value) { *log = value; }
KERNEL(1024) local_size(unsigned* out) { *out = 0; }
KERNEL(1024) last_of_4096(Block<4088> block, unsigned* out) { *out = block.words[1021]; }
KERNEL(1024) last_of_32764(unsigned* out, Block<32756> block) { *out = block.words[8188]; }
KERNEL(1024) borrow(unsigned long* out, unsigned* scratch) { *out = *scratch; }
KERNEL(1024) copy_tensor(unsigned* out, Block<128> map) { *out = map.words[0]; }
extern "C" __attribute__((device)) __attribute__((used)) unsigned sim_table[4] = {1, 2, 3, 4};
KERNEL(1024) look_up(unsigned* out) { *out = sim_table[3]; }
KERNEL(1024) trap() { __builtin_trap(); }
