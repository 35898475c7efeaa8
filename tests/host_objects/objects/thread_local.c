// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/local_kernel.h"
_Thread_local int32_t calls = 1;
HAL_LOCAL_KERNEL(plain) {
  (void)workgroup;
  HAL_LOCAL_BINDING(int32_t, 0)[0] = calls++;
  return 0;
}
