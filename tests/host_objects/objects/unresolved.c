// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/local_kernel.h"
int32_t not_there(void);
int32_t nor_this(void);
HAL_LOCAL_KERNEL(plain) {
  (void)workgroup;
  HAL_LOCAL_BINDING(int32_t, 0)[0] = not_there() + nor_this();
  return 0;
}
