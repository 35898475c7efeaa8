// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For nvcc: see ../make_images.sh. The names of these kernels say what their parameters are.
namespace views {
template <class T>
struct View {  // 8 bytes that are no address of a parameter
  T* data;
};
}  // namespace views

template <class T>
__global__ void scale(views::View<T> view, const T* x, unsigned long long count, T factor) {
  if (threadIdx.x < count) view.data[threadIdx.x] = x[threadIdx.x] * factor;
}
template __global__ void scale(views::View<float>, const float*, unsigned long long, float);

__global__ void __cluster_dims__(2, 1, 1) clustered(float4* y, long long count) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = static_cast<float>(count);
  __syncthreads();
  y[0].x = tile[1];
}

__global__ void textured(cudaTextureObject_t texture, float* y) { y[0] = tex1Dfetch<float>(texture, 1); }
