// Kernels with C++ names, several in one file: templates, namespaces, overloads and what only this file can see.
namespace corpus {

template <class T>
struct Pair {
  T first;
  T second;
};

template <class T>
__global__ void scale(T* out, const T* in, T factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * factor;
}

template __global__ void scale<float>(float*, const float*, float, int);
template __global__ void scale<double>(double*, const double*, double, int);
template __global__ void scale<long long>(long long*, const long long*, long long, int);

template <int kCount, bool kNegates>
__global__ void __launch_bounds__(64) repeat(const unsigned char* __restrict__ in, unsigned short* out) {
  for (int i = 0; i < kCount; ++i) out[threadIdx.x * kCount + i] = kNegates ? -in[threadIdx.x] : in[threadIdx.x];
}

template __global__ void repeat<3, false>(const unsigned char* __restrict__, unsigned short*);
template __global__ void repeat<5, true>(const unsigned char* __restrict__, unsigned short*);

__global__ void add_pairs(Pair<float> pair, Pair<Pair<int>> pairs, float* out) {
  out[threadIdx.x] = pair.first + pair.second + pairs.first.first + pairs.second.second;
}

__global__ void twice(float* x) { x[threadIdx.x] *= 2; }
__global__ void twice(int* x, unsigned long n) {
  if (threadIdx.x < n) x[threadIdx.x] *= 2;
}

}  // namespace corpus
