// y[row, column] = factor * x[row, column] as CuTe's DSL passes tensors: structures by value of an address, the sizes and
// the strides that are not known when it compiles.
struct layout {
  int rows, columns;
  long long stride;  // elements from a row to the next
};
struct tensor {  // 24 bytes
  float* pointer;
  layout at;
};

extern "C" __global__ void __launch_bounds__(32) kernel_cutlass_scale_tensorptrf32gmemo11_tensorptrf32gmemo11_0(
    tensor x, tensor y, float factor) {
  const int column = blockIdx.x * 32 + threadIdx.x;
  if (column >= x.at.columns) return;
  for (int row = 0; row < x.at.rows; ++row) {
    y.pointer[row * y.at.stride + column] = factor * x.pointer[row * x.at.stride + column];
  }
}
