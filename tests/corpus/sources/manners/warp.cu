// y[i] = factor * x[i] as Warp passes it: the bounds of the launch first, arrays as structures by value with addresses of
// the data and of its gradient in them, strides in bytes, one grid for any length.
struct launch_bounds {  // 32 bytes
  int shape[4];
  int dimensions;
  unsigned long long size;
};
struct array {  // 56 bytes
  float* data;
  float* grad;
  int shape[4];
  int strides[4];
  int dimensions;
};

__device__ float* at(const array& from, int index) {
  return reinterpret_cast<float*>(reinterpret_cast<char*>(from.data) + static_cast<long long>(index) * from.strides[0]);
}

extern "C" __global__ void scale_3f5a_cuda_kernel_forward(launch_bounds dim, array var_x, array var_y, float var_factor) {
  const unsigned long long step = static_cast<unsigned long long>(blockDim.x) * gridDim.x;
  for (unsigned long long i = static_cast<unsigned long long>(blockDim.x) * blockIdx.x + threadIdx.x; i < dim.size; i += step) {
    *at(var_y, static_cast<int>(i)) = var_factor * *at(var_x, static_cast<int>(i));
  }
}
