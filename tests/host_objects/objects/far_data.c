// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code for programs at a fixed address takes for granted that variables of libraries are below the address 2^31.
#include "halyard/local_kernel.h"
extern void* stderr;
HAL_LOCAL_KERNEL(plain) {
  (void)workgroup;
  HAL_LOCAL_BINDING(void**, 0)[0] = &stderr;
  return 0;
}
