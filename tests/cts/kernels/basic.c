// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel set "basic": the few kernels that most tests get by with. What each takes stands in ../kernel_sets.cpp.
#include "halyard/local_kernel.h"

// The elements of a uint32 binding that one workgroup of a one-dimensional dispatch works on.
typedef struct range_t {
  uint32_t begin;
  uint32_t end;
} range_t;

static range_t elements_of(const hal_local_dispatch_t* dispatch, const hal_local_workgroup_t* workgroup,
                           uint32_t binding) {
  const uint32_t count = (uint32_t)(dispatch->binding_lengths[binding] / sizeof(uint32_t));
  const uint32_t size = dispatch->workgroup_size[0];
  range_t range = {workgroup->id[0] * size, workgroup->id[0] * size + size};
  if (range.begin > count) range.begin = count;
  if (range.end > count) range.end = count;
  return range;
}

HAL_LOCAL_KERNEL(noop) {
  (void)dispatch;
  (void)workgroup;
  return 0;
}

// data[i] += 1
HAL_LOCAL_KERNEL(add_one) {
  uint32_t* data = HAL_LOCAL_BINDING(uint32_t, 0);
  const range_t range = elements_of(dispatch, workgroup, 0);
  for (uint32_t i = range.begin; i < range.end; ++i) data[i] += 1;
  return 0;
}

// target[i] = source[i] + constant
HAL_LOCAL_KERNEL(add_constant) {
  const uint32_t constant = *HAL_LOCAL_CONSTANT(const uint32_t, 0);
  const uint32_t* source = HAL_LOCAL_BINDING(const uint32_t, 0);
  uint32_t* target = HAL_LOCAL_BINDING(uint32_t, 1);
  const range_t range = elements_of(dispatch, workgroup, 1);
  for (uint32_t i = range.begin; i < range.end; ++i) target[i] = source[i] + constant;
  return 0;
}

// target = (constant * 31 + first) * 31 + second: tells wrong operands and wrong order apart
HAL_LOCAL_KERNEL(mix_cells) {
  (void)workgroup;
  const uint32_t constant = *HAL_LOCAL_CONSTANT(const uint32_t, 0);
  const uint32_t first = *HAL_LOCAL_BINDING(const uint32_t, 0);
  const uint32_t second = *HAL_LOCAL_BINDING(const uint32_t, 1);
  *HAL_LOCAL_BINDING(uint32_t, 2) = (constant * 31 + first) * 31 + second;
  return 0;
}
