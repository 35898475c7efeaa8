// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For any C compiler: see ../make_images.sh.
#include "halyard/local_kernel.h"
#include "halyard/local_kernel_record.h"

HAL_LOCAL_KERNEL_RECORD(saxpy, 64, 1, 1, 0, 8, 4, HAL_LOCAL_CONSTANT_RECORD(0, 4),
                        HAL_LOCAL_BINDING_RECORD(0, 0, HAL_LOCAL_ACCESS_READ),
                        HAL_LOCAL_BINDING_RECORD(0, 1, HAL_LOCAL_ACCESS_READ_WRITE), HAL_LOCAL_CONSTANT_RECORD(4, 4));
HAL_LOCAL_KERNEL(saxpy) {
  const float a = *HAL_LOCAL_CONSTANT(const float, 0);
  const uint32_t n = *HAL_LOCAL_CONSTANT(const uint32_t, 4);
  const float* x = HAL_LOCAL_BINDING(const float, 0);
  float* y = HAL_LOCAL_BINDING(float, 1);
  const uint32_t begin = workgroup->id[0] * dispatch->workgroup_size[0];
  for (uint32_t i = begin; i < begin + dispatch->workgroup_size[0] && i < n; ++i) y[i] = a * x[i] + y[i];
  return 0;
}

HAL_LOCAL_KERNEL_RECORD(nothing, 0, 1, 1, 256, 0, 0, HAL_LOCAL_NO_PARAMETERS());
HAL_LOCAL_KERNEL(nothing) {
  (void)dispatch;
  (void)workgroup;
  return 0;
}
