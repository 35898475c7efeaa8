// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of halyard-bench for the local driver.
#include "halyard/local_kernel.h"

// Nothing at all: what is measured is the way there and back.
HAL_LOCAL_KERNEL(empty) {
  (void)dispatch;
  (void)workgroup;
  return 0;
}

// y[i] += a * x[i], 256 elements to a workgroup.
HAL_LOCAL_KERNEL(saxpy) {
  const float a = *HAL_LOCAL_CONSTANT(const float, 0);
  const float* restrict x = HAL_LOCAL_BINDING(const float, 0) + (size_t)workgroup->id[0] * 256;
  float* restrict y = HAL_LOCAL_BINDING(float, 1) + (size_t)workgroup->id[0] * 256;
  for (int i = 0; i < 256; ++i) y[i] += a * x[i];
  return 0;
}
