// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of sim_kernels.ptx, for the host.
#include "halyard/local_kernel.h"

// A variable that the host may look for.
HAL_LOCAL_KERNEL_EXPORT uint32_t sim_table[4] = {1, 2, 3, 4};

HAL_LOCAL_KERNEL(scale) {  // y[i] = a * x[i]
  float* y = HAL_LOCAL_BINDING(float, 0);
  const float a = *HAL_LOCAL_CONSTANT(const float, 0);
  const float* x = HAL_LOCAL_BINDING(const float, 1);
  const uint32_t count = *HAL_LOCAL_CONSTANT(const uint32_t, 4);
  const uint32_t begin = workgroup->id[0] * dispatch->workgroup_size[0];
  for (uint32_t i = begin; i < begin + dispatch->workgroup_size[0] && i < count; ++i) y[i] = a * x[i];
  return 0;
}

HAL_LOCAL_KERNEL(append) {  // log[log[0]++ + 1] = value, by one thread
  uint32_t* log = HAL_LOCAL_BINDING(uint32_t, 0);
  (void)workgroup;
  log[++log[0]] = *HAL_LOCAL_CONSTANT(const uint32_t, 0);
  return 0;
}

HAL_LOCAL_KERNEL(local_size) {  // *out = bytes of local memory
  *HAL_LOCAL_BINDING(uint32_t, 0) = workgroup->local_memory_size;
  return 0;
}

static int32_t copy_last_word(const hal_local_dispatch_t* dispatch) {  // *out = the last word of the constants
  *HAL_LOCAL_BINDING(uint32_t, 0) = *HAL_LOCAL_CONSTANT(const uint32_t, dispatch->constants_size - sizeof(uint32_t));
  return 0;
}

HAL_LOCAL_KERNEL(last_of_4096) {
  (void)workgroup;
  return copy_last_word(dispatch);
}

HAL_LOCAL_KERNEL(last_of_32764) {
  (void)workgroup;
  return copy_last_word(dispatch);
}

HAL_LOCAL_KERNEL(borrow) {  // out[group] = where the group's 64 bytes of scratch memory are, which it writes
  uint64_t* out = HAL_LOCAL_BINDING(uint64_t, 0);
  uint32_t* part = HAL_LOCAL_BINDING(uint32_t, 1) + 16 * workgroup->id[0];
  (void)dispatch;
  for (uint32_t i = 0; i < 16; ++i) part[i] = workgroup->id[0];
  out[workgroup->id[0]] = (uint64_t)(uintptr_t)part;
  return 0;
}

HAL_LOCAL_KERNEL(copy_tensor) {  // out = a tensor of two dimensions, without gaps, of a map as the simulation makes it
  uint32_t* out = HAL_LOCAL_BINDING(uint32_t, 0);
  const uint64_t* map = HAL_LOCAL_CONSTANT(const uint64_t, 0);  // address, 5 sizes, 4 strides
  (void)workgroup;
  for (uint64_t row = 0; row < map[2]; ++row) {
    const uint32_t* line = (const uint32_t*)(uintptr_t)(map[0] + row * map[6]);
    for (uint64_t i = 0; i < map[1]; ++i) *out++ = line[i];
  }
  return 0;
}

HAL_LOCAL_KERNEL(look_up) {  // *out = sim_table[3]
  (void)workgroup;
  *HAL_LOCAL_BINDING(uint32_t, 0) = sim_table[3];
  return 0;
}

HAL_LOCAL_KERNEL(trap) {
  (void)dispatch;
  (void)workgroup;
  return 1;
}
