// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/local_kernel.h"

// Fails if the constants are not where kernels may rely on them.
HAL_LOCAL_KERNEL(nothing) {
  (void)workgroup;
  return (uintptr_t)dispatch->constants % 16 != 0;
}

// A plain C function; docs/c-functions.md.
HAL_LOCAL_KERNEL_EXPORT int c_function(const uint8_t* source, uint8_t* target, uint64_t constant, uint32_t x,
                                       uint32_t y, uint32_t z, uint32_t count) {
  (void)source;
  (void)target;
  return constant == 42 && x < 10 && y < 5 && z < 2 && count == 10 ? 0 : 1;
}
