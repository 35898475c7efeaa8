// Arrays as other compilers pass them: structures with a pointer in them, by value; and a pointer that a mangled name calls a class.
struct WarpArray {  // 56 bytes
  float* data;
  float* grad;
  int shape[4];
  int strides[4];
  int ndim;
  int padding;
};
struct CuteTensor {  // 16 bytes
  float* pointer;
  int length, stride;
};
struct Span {
  float* data;
  unsigned long long count;
};
struct Only {
  float* data;
};
struct Rows {
  float* rows[4];
};

extern "C" __global__ void warp_scale(WarpArray from, WarpArray to, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= from.shape[0]) return;
  const float value = *reinterpret_cast<float*>(reinterpret_cast<char*>(from.data) + i * from.strides[0]);
  *reinterpret_cast<float*>(reinterpret_cast<char*>(to.data) + i * to.strides[0]) = value * factor;
}
extern "C" __global__ void cute_copy(CuteTensor from, CuteTensor to) {
  const int i = threadIdx.x;
  if (i < from.length) to.pointer[i * to.stride] = from.pointer[i * from.stride];
}
extern "C" __global__ void span_fill(Span to, float value) {
  if (threadIdx.x < to.count) to.data[threadIdx.x] = value;
}
extern "C" __global__ void only_fill(Only to, float value) { to.data[threadIdx.x] = value; }
extern "C" __global__ void row_fill(Rows to, int row) { to.rows[row & 3][threadIdx.x] = 1; }
// make_images.sh names it as Numba names raw(int32, CPointer(int32)): _ZN8__main__3rawEi8int32_2a
extern "C" __global__ void numba_raw(int n, int* p) {
  if (threadIdx.x < n) p[threadIdx.x] = threadIdx.x;
}
__constant__ Span slang_globals;
extern "C" __global__ void slang_scale(float factor) {
  if (threadIdx.x < slang_globals.count) slang_globals.data[threadIdx.x] *= factor;
}
