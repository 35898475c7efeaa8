// Structures by value, with and without addresses in them; a texture and a surface.
#include <cuda_runtime.h>

struct Shape {
  int rows, columns;
  long long stride;
};

struct View {
  float* data;
  Shape shape;
};

struct Handle {
  float* data;
};

__global__ void fill_shape(float* out, Shape shape) {
  if (threadIdx.x < shape.columns) out[blockIdx.x * shape.stride + threadIdx.x] = shape.rows;
}

__global__ void fill_view(View view, float value) { view.data[blockIdx.x * view.shape.stride + threadIdx.x] = value; }

__global__ void fill_handle(Handle handle, float value) { handle.data[threadIdx.x] = value; }

__global__ void copy_view(const __grid_constant__ View from, const __grid_constant__ View to) {
  to.data[threadIdx.x] = from.data[threadIdx.x];
}

__global__ void batch(float** rows, const float* const* others, int n) {
  rows[blockIdx.x][threadIdx.x] += others[blockIdx.x][threadIdx.x] * n;
}

__global__ void read_texture(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x);
}

__global__ void write_surface(cudaSurfaceObject_t surface, const float* in) {
  surf2Dwrite(in[threadIdx.x], surface, threadIdx.x * sizeof(float), blockIdx.x);
}
