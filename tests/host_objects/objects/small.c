// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As small as kernels of a JIT compiler are, with a number that tests change in the bytes of the object.
#include "halyard/local_kernel.h"
#include "halyard/local_kernel_record.h"
int32_t calls;
HAL_LOCAL_KERNEL_RECORD(plain, 1, 1, 1, 0, 0, 1, HAL_LOCAL_BINDING_RECORD(0, 0, HAL_LOCAL_ACCESS_WRITE));
HAL_LOCAL_KERNEL(plain) {
  (void)workgroup;
  HAL_LOCAL_BINDING(int32_t, 0)[0] = 0x12345678;
  HAL_LOCAL_BINDING(int32_t, 0)[1] = ++calls;
  return 0;
}
