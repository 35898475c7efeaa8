// HIP and CUDA without their headers: what clang itself knows of both.
#define __global__ __attribute__((global))
#if defined(__NVPTX__)
#define ITEM __nvvm_read_ptx_sreg_tid_x()
#define BOUNDS __attribute__((launch_bounds(256)))
#else
#define ITEM __builtin_amdgcn_workitem_id_x()
#define BOUNDS __attribute__((amdgpu_flat_work_group_size(64, 256)))
#endif

struct View {
  float* data;
  long stride;
};

template <class T>
__global__ void add(T* out, const T* a, const T* b, T bias) {
  out[ITEM] = a[ITEM] + b[ITEM] + bias;
}

template __global__ void add<float>(float*, const float*, const float*, float);
template __global__ void add<long>(long*, const long*, const long*, long);

namespace corpus {
__global__ void BOUNDS strided(View view, unsigned long n, bool negates) {
  if (ITEM < n) view.data[ITEM * view.stride] *= negates ? -1 : 1;
}
}  // namespace corpus

extern "C" __global__ void plain(float* x, unsigned long long n, double d, short s) {
  if (ITEM < n) x[ITEM] = d + s;
}

__attribute__((device)) int counter;
__attribute__((constant)) float weights[4];
__global__ void use_globals(float* x) {
  x[ITEM] *= weights[ITEM % 4];
  counter = 1;
}
