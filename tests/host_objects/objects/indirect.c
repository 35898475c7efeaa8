// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/local_kernel.h"
static int32_t Seven(void) { return 7; }
typedef int32_t (*number_t)(void);
__attribute__((used)) static number_t Resolve(void) { return Seven; }
int32_t number(void) __attribute__((ifunc("Resolve")));
HAL_LOCAL_KERNEL(plain) {
  (void)workgroup;
  HAL_LOCAL_BINDING(int32_t, 0)[0] = number();
  return 0;
}
