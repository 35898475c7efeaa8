// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/local_kernel.h"
int32_t Throws(int32_t);
HAL_LOCAL_KERNEL(plain) {
  (void)workgroup;
  try {
    HAL_LOCAL_BINDING(int32_t, 0)[0] = Throws(1);
  } catch (int) {
    return 3;
  }
  return 0;
}
