// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small work in several shapes. Workgroups have no work-items of their own.
#include <stddef.h>

#include "halyard/local_kernel.h"

HAL_LOCAL_KERNEL(empty) {
  (void)dispatch;
  (void)workgroup;
  return 0;
}

// Up to 1,023 steps, spread over the grid; each 37th workgroup takes 16 times as many.
HAL_LOCAL_KERNEL(uneven) {
  (void)dispatch;
  const uint32_t id = workgroup->id[0];
  uint32_t steps = id * 2654435761U >> 22;
  if (id % 37 == 0) steps *= 16;
  volatile double value = 1.0;
  for (uint32_t i = 0; i < steps; ++i) value = value * 1.0000001;
  return 0;
}

// Binding 1 += 2 * binding 0, 256 floats a workgroup.
HAL_LOCAL_KERNEL(saxpy) {
  const float* const x = dispatch->bindings[0];
  float* const y = dispatch->bindings[1];
  const size_t begin = (size_t)workgroup->id[0] * 256;
  for (size_t i = begin; i < begin + 256; ++i) y[i] += 2.0F * x[i];
  return 0;
}
