// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For nvcc: see ../make_images.sh.
struct Pair {
  float factor;
  int offset;
};

extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void __launch_bounds__(128) reverse(Pair pair, unsigned long long n, char c, float* y) {
  __shared__ float tile[128];
  tile[threadIdx.x] = y[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = tile[127 - threadIdx.x] * pair.factor + pair.offset + n + c;
}
