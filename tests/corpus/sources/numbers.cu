// Numbers of every size, of which those of 8 bytes look like addresses.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>
#include <cstdint>

__global__ void long_numbers(double* out, long long a, unsigned long long b, size_t n, double d, int64_t e) {
  if (threadIdx.x < n) out[threadIdx.x] = a + b + d + e;
}

__global__ void small_numbers(float* out, bool flag, char byte, short s, int i, __half h, __nv_bfloat16 b, float f) {
  out[threadIdx.x] = flag ? byte + s + i + __half2float(h) + __bfloat162float(b) + f : 0;
}

__global__ void vectors(float4* out, float4 a, float3 b, double2 c, char3 d) {
  out[threadIdx.x] = make_float4(a.x + b.x, a.y + b.y, a.z + c.x, a.w + d.z);
}

// An offset is added to an address: only the name tells which of the two is which.
__global__ void moved(char* base, long offset, int* lengths) { base[offset + threadIdx.x] = lengths[threadIdx.x]; }

extern "C" __global__ void __launch_bounds__(128) plain_c(const float* x, float* y, float a, unsigned long long n) {
  const unsigned long long i = blockIdx.x * 128ull + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

extern "C" __global__ void no_parameters() {}
