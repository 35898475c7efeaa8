// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel set "image": kernels that tell one loaded image of the host from another.
#include "halyard/local_kernel.h"

// Tests look for these eight bytes in the image and replace them, which gives images that differ in what they do.
static const volatile uint64_t image_mark = 0x4A11CE5EC0DEFACEu;

// target = the mark of the image
HAL_LOCAL_KERNEL(report_mark) {
  (void)workgroup;
  *HAL_LOCAL_BINDING(uint64_t, 0) = image_mark;
  return 0;
}

// target = how often this loaded image has been asked, this time included
HAL_LOCAL_KERNEL(count_calls) {
  static uint32_t calls = 0;
  (void)workgroup;
  *HAL_LOCAL_BINDING(uint32_t, 0) = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  return 0;
}
