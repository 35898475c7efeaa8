// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain C functions that the tests of the tools pack and run, and a kernel beside them.
#include "halyard/local_kernel.h"

HAL_LOCAL_KERNEL_EXPORT void saxpy(int64_t n, float a, const float* x, float* y) {
  for (int64_t i = 0; i < n; ++i) y[i] += a * x[i];
}

// One row for each workgroup; fails at a row that begins with a negative number.
HAL_LOCAL_KERNEL_EXPORT int sum_rows(uint32_t row, uint32_t rows, int64_t columns, const float* x, float* sums) {
  float sum = 0;
  for (int64_t i = 0; i < columns; ++i) sum += x[row * columns + i];
  sums[row] = sum / (float)rows;
  return x[row * columns] < 0 ? (int)row + 1 : 0;
}

HAL_LOCAL_KERNEL_EXPORT double half_of(int32_t number) { return number / 2.0; }

HAL_LOCAL_KERNEL(marked) {
  HAL_LOCAL_BINDING(float, 0)[workgroup->id[0]] = (float)dispatch->binding_lengths[0];
  return 0;
}
