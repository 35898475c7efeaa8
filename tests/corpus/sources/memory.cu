// Memory that no parameter brings: workgroup memory of both kinds, constants and globals of the module.
__constant__ float table[64];
__device__ int counter;
__device__ double weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};

__global__ void read_table(float* out) { out[threadIdx.x] = table[threadIdx.x % 64]; }

__global__ void count(const int* in, int n) {
  if (threadIdx.x < n && in[threadIdx.x] != 0) atomicAdd(&counter, 1);
}

__global__ void weigh(double* x) { x[threadIdx.x] *= weights[threadIdx.x % 8]; }

__global__ void __launch_bounds__(256, 2) static_shared(float* x) {
  __shared__ float tile[256];
  __shared__ int flags[3];
  tile[threadIdx.x] = x[threadIdx.x];
  if (threadIdx.x < 3) flags[threadIdx.x] = threadIdx.x;
  __syncthreads();
  x[threadIdx.x] = tile[255 - threadIdx.x] + flags[threadIdx.x % 3];
}

extern __shared__ float dynamic[];
__global__ void dynamic_shared(float* x, int n) {
  dynamic[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = dynamic[(threadIdx.x + 1) % n];
}

__global__ void both_shared(float* x) {
  __shared__ double fixed[32];
  fixed[threadIdx.x % 32] = x[threadIdx.x];
  dynamic[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = dynamic[threadIdx.x ^ 1] + fixed[threadIdx.x % 32];
}
