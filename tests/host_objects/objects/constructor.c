// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/local_kernel.h"
static volatile int32_t number;  // so that no compiler sets it beforehand
__attribute__((constructor)) static void Prepare(void) { number = 7; }
HAL_LOCAL_KERNEL(plain) {
  (void)workgroup;
  HAL_LOCAL_BINDING(int32_t, 0)[0] = number;
  return 0;
}
