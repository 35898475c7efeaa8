// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels that the tests of the tools run. exports.json describes them.
#include "halyard/local_kernel.h"

// y[i] += a * x[i]
HAL_LOCAL_KERNEL(saxpy_f32) {
  const float a = *HAL_LOCAL_CONSTANT(const float, 0);
  const float* x = HAL_LOCAL_BINDING(const float, 0);
  float* y = HAL_LOCAL_BINDING(float, 1);
  const uint32_t begin = workgroup->id[0] * dispatch->workgroup_size[0];
  for (uint32_t i = begin; i < begin + dispatch->workgroup_size[0]; ++i) y[i] += a * x[i];
  return 0;
}

// quotient[i] = x[i] / d, rest[i] = x[i] % d
HAL_LOCAL_KERNEL(divide) {
  const uint32_t d = *HAL_LOCAL_CONSTANT(const uint32_t, 8);
  const int32_t* x = HAL_LOCAL_BINDING(const int32_t, 0);
  int32_t* quotient = HAL_LOCAL_BINDING(int32_t, 1);
  int32_t* rest = HAL_LOCAL_BINDING(int32_t, 2);
  const uint32_t i = workgroup->id[0];
  quotient[i] = x[i] / (int32_t)d;
  rest[i] = x[i] % (int32_t)d;
  return 0;
}

// Looks at nothing that it is given.
HAL_LOCAL_KERNEL(ignore) {
  (void)dispatch;
  (void)workgroup;
  return 0;
}

// Reports a failure.
HAL_LOCAL_KERNEL(fail) {
  (void)dispatch;
  (void)workgroup;
  return 42;
}
