// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel set "failure": kernels that fail, which those of other devices than the host cannot.
#include "halyard/local_kernel.h"

// Workgroup `where` fails with `code`; the others add one to their cell.
HAL_LOCAL_KERNEL(fail_in_workgroup) {
  const int32_t code = *HAL_LOCAL_CONSTANT(const int32_t, 0);
  const uint32_t where = *HAL_LOCAL_CONSTANT(const uint32_t, 4);
  if (workgroup->id[0] == where) return code;
  HAL_LOCAL_BINDING(uint32_t, 0)[workgroup->id[0]] += 1;
  return 0;
}
