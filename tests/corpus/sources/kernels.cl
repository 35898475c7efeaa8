// OpenCL C without its library: identifiers come from the target's own builtins.
#if defined(__NVPTX__)
#define ITEM __nvvm_read_ptx_sreg_tid_x()
#define GROUP __nvvm_read_ptx_sreg_ctaid_x()
#define BARRIER __nvvm_bar_sync(0)
#else
#define ITEM __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define BARRIER __builtin_amdgcn_s_barrier()
#endif

typedef struct {
  int rows, columns;
  float scale;
} Options;

kernel void saxpy(global const float* x, global float* y, float a, ulong n) {
  if (ITEM < n) y[ITEM] += a * x[ITEM];
}

kernel __attribute__((reqd_work_group_size(64, 2, 1))) void sized(global int* out) { out[ITEM] = GROUP; }

kernel void reversed(global float* x, local float* tile) {
  tile[ITEM] = x[ITEM];
  BARRIER;
  x[ITEM] = tile[63 - ITEM];
}

kernel void table(constant float* weights, global float* x) { x[ITEM] *= weights[ITEM % 4]; }

kernel void structure(global float* x, Options options, char small, double4 large) {
  x[ITEM] = options.rows + options.columns * options.scale + small + large.w;
}

kernel __attribute__((work_group_size_hint(32, 1, 1))) void fixed_tile(global const int* restrict in,
                                                                       global int* restrict out) {
  local int tile[64];
  tile[ITEM] = in[ITEM];
  BARRIER;
  out[ITEM] = tile[63 - ITEM];
}
