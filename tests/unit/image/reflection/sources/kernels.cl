// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For clang: see ../make_images.sh.
typedef struct {
  float factor;
  int offset;
} Pair;

#ifdef __AMDGCN__
#define LOCAL_ID __builtin_amdgcn_workitem_id_x()
#define BARRIER() __builtin_amdgcn_s_barrier()
#else
#define LOCAL_ID __nvvm_read_ptx_sreg_tid_x()
#define BARRIER() __syncthreads()
#endif

__kernel void saxpy(float a, __global const float* x, __global float* y, int n) {
  const int i = LOCAL_ID;
  if (i < n) y[i] = a * x[i] + y[i];
}

__kernel __attribute__((reqd_work_group_size(128, 2, 1))) void reverse(Pair pair, ulong n, char c, __global float* y) {
  __local float tile[128];
  const int i = LOCAL_ID;
  tile[i] = y[i];
  BARRIER();
  y[i] = tile[127 - i] * pair.factor + pair.offset + n + c;
}

__kernel void scratch(__global float* y, __local float* tile) {
  tile[LOCAL_ID] = y[LOCAL_ID];
  BARRIER();
  y[LOCAL_ID] = tile[1];
}

__kernel void nothing(void) {}
