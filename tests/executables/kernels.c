// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/local_kernel.h"

HAL_LOCAL_KERNEL(scale_f32) {  // y[i] = a * x[i]
  const float a = *HAL_LOCAL_CONSTANT(const float, 0);
  const float* x = HAL_LOCAL_BINDING(const float, 0);
  float* y = HAL_LOCAL_BINDING(float, 1);
  const uint32_t begin = workgroup->id[0] * dispatch->workgroup_size[0];
  for (uint32_t i = begin; i < begin + dispatch->workgroup_size[0]; ++i) y[i] = a * x[i];
  return 0;
}
