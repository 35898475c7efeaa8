// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the simulated CUDA runs in the place of the PTX beside: the parameters as they arrive, one after the other. A
// structure has the address that the driver put into it.
#include "halyard/local_kernel.h"

struct launch_bounds {
  int32_t shape[4], dimensions;
  uint64_t size;
};
struct array {
  char *data, *grad;
  int32_t shape[4], strides[4], dimensions;
};

HAL_LOCAL_KERNEL(warp_scale) {
  const struct launch_bounds* dim = HAL_LOCAL_CONSTANT(const struct launch_bounds, 0);
  const struct array* x = HAL_LOCAL_CONSTANT(const struct array, 32);
  const struct array* y = HAL_LOCAL_CONSTANT(const struct array, 88);
  const float factor = *HAL_LOCAL_CONSTANT(const float, 144);
  const uint64_t step = (uint64_t)dispatch->workgroup_size[0] * dispatch->workgroup_count[0];
  const uint64_t begin = (uint64_t)dispatch->workgroup_size[0] * workgroup->id[0];
  for (uint64_t item = begin; item < begin + dispatch->workgroup_size[0]; ++item) {
    for (uint64_t i = item; i < dim->size; i += step) {
      *(float*)(y->data + (int64_t)i * y->strides[0]) = factor * *(const float*)(x->data + (int64_t)i * x->strides[0]);
    }
  }
  return 0;
}

struct tensor {
  float* pointer;
  int32_t rows, columns;
  int64_t stride;
};

HAL_LOCAL_KERNEL(cute_scale) {
  const struct tensor* x = HAL_LOCAL_CONSTANT(const struct tensor, 0);
  const struct tensor* y = HAL_LOCAL_CONSTANT(const struct tensor, 24);
  const float factor = *HAL_LOCAL_CONSTANT(const float, 48);
  const uint32_t begin = workgroup->id[0] * dispatch->workgroup_size[0];
  for (uint32_t column = begin; column < begin + dispatch->workgroup_size[0]; ++column) {
    for (int32_t row = 0; row < x->rows && column < (uint32_t)x->columns; ++row) {
      y->pointer[row * y->stride + column] = factor * x->pointer[row * x->stride + column];
    }
  }
  return 0;
}

// numba-cuda's axpy(a, x, y): of each array seven numbers, of which the fifth is the data and the last the stride.
HAL_LOCAL_KERNEL(numba_axpy) {
  const float a = *HAL_LOCAL_CONSTANT(const float, 0);
  const char* x = HAL_LOCAL_BINDING(const char, 0);
  char* y = HAL_LOCAL_BINDING(char, 1);
  const int64_t count = *HAL_LOCAL_CONSTANT(const int64_t, 40), x_stride = *HAL_LOCAL_CONSTANT(const int64_t, 48);
  const int64_t y_stride = *HAL_LOCAL_CONSTANT(const int64_t, 96);
  const uint32_t begin = workgroup->id[0] * dispatch->workgroup_size[0];
  for (int64_t i = begin; i < begin + dispatch->workgroup_size[0] && i < count; ++i) {
    *(float*)(y + i * y_stride) += a * *(const float*)(x + i * x_stride);
  }
  return 0;
}
