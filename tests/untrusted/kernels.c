// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/local_kernel.h"

HAL_LOCAL_KERNEL(untrusted_kernel) {
  (void)dispatch;
  (void)workgroup;
  return 0;
}
