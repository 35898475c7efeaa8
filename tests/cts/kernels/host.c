// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel set "host": what kernels of the host alone can do: fail, and know how long everything is.
#include <pthread.h>

#include "halyard/local_kernel.h"

// Workgroup `where` fails with `code`; the others add one to their cell.
HAL_LOCAL_KERNEL(fail_in_workgroup) {
  const int32_t code = *HAL_LOCAL_CONSTANT(const int32_t, 0);
  const uint32_t where = *HAL_LOCAL_CONSTANT(const uint32_t, 4);
  if (workgroup->id[0] == where) return code;
  HAL_LOCAL_BINDING(uint32_t, 0)[workgroup->id[0]] += 1;
  return 0;
}

// Adds one to all that the binding holds.
HAL_LOCAL_KERNEL(add_one_to_all) {
  (void)workgroup;
  uint32_t* data = HAL_LOCAL_BINDING(uint32_t, 0);
  for (uint64_t i = 0; i < dispatch->binding_lengths[0] / sizeof(uint32_t); ++i) data[i] += 1;
  return 0;
}

// The bytes of workgroup memory.
HAL_LOCAL_KERNEL(report_local_memory) {
  HAL_LOCAL_BINDING(uint32_t, 0)[0] = workgroup->local_memory ? workgroup->local_memory_size : 0;
  return 0;
}

// The number of bindings, the bytes of constants, the bytes of the last binding.
HAL_LOCAL_KERNEL(report_counts) {
  (void)workgroup;
  uint32_t* cells = HAL_LOCAL_BINDING(uint32_t, 0);
  cells[0] = dispatch->binding_count;
  cells[1] = (uint32_t)dispatch->constants_size;
  cells[2] = (uint32_t)dispatch->binding_lengths[dispatch->binding_count - 1];
  return 0;
}

// Workgroup 1 ends its thread.
HAL_LOCAL_KERNEL(end_thread) {
  (void)dispatch;
  if (workgroup->id[0] == 1) pthread_exit(NULL);
  return 0;
}
