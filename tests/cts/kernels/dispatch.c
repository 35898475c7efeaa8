// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel set "dispatch": everything that a dispatch hands to a kernel, made visible in buffers. What each kernel takes
// stands in ../kernel_sets.cpp.
#include <string.h>

#include "halyard/local_kernel.h"

static uint32_t linear_id(const hal_local_dispatch_t* dispatch, const hal_local_workgroup_t* workgroup) {
  return (workgroup->id[2] * dispatch->workgroup_count[1] + workgroup->id[1]) * dispatch->workgroup_count[0] +
         workgroup->id[0];
}

// bindings_N: the first cell of each of N bindings becomes three times what it was, plus the number of the binding
// counted from 1. Fails if the number of bindings is not N.
static int32_t touch_bindings(const hal_local_dispatch_t* dispatch, uint32_t count) {
  if (dispatch->binding_count != count) return 1;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t* cell = HAL_LOCAL_BINDING(uint32_t, i);
    *cell = *cell * 3 + i + 1;
  }
  return 0;
}
#define BINDINGS_KERNEL(count)              \
  HAL_LOCAL_KERNEL(bindings_##count) {      \
    (void)workgroup;                        \
    return touch_bindings(dispatch, count); \
  }
BINDINGS_KERNEL(0)
BINDINGS_KERNEL(1)
BINDINGS_KERNEL(2)
BINDINGS_KERNEL(3)
BINDINGS_KERNEL(4)
BINDINGS_KERNEL(5)
BINDINGS_KERNEL(6)
BINDINGS_KERNEL(7)
BINDINGS_KERNEL(8)
BINDINGS_KERNEL(9)
BINDINGS_KERNEL(10)
BINDINGS_KERNEL(11)
BINDINGS_KERNEL(12)
BINDINGS_KERNEL(13)
BINDINGS_KERNEL(14)
BINDINGS_KERNEL(15)
BINDINGS_KERNEL(16)

// constants_N: copies N bytes of constants to the binding. Fails if it is handed another number.
static int32_t copy_constants(const hal_local_dispatch_t* dispatch, size_t size) {
  if (dispatch->constants_size != size) return 1;
  memcpy(HAL_LOCAL_BINDING(char, 0), dispatch->constants, size);
  return 0;
}
#define CONSTANTS_KERNEL(size)             \
  HAL_LOCAL_KERNEL(constants_##size) {     \
    (void)workgroup;                       \
    return copy_constants(dispatch, size); \
  }
CONSTANTS_KERNEL(1)
CONSTANTS_KERNEL(2)
CONSTANTS_KERNEL(3)
CONSTANTS_KERNEL(4)
CONSTANTS_KERNEL(8)
CONSTANTS_KERNEL(12)
CONSTANTS_KERNEL(16)
CONSTANTS_KERNEL(20)
CONSTANTS_KERNEL(60)
CONSTANTS_KERNEL(64)
CONSTANTS_KERNEL(100)
CONSTANTS_KERNEL(128)
CONSTANTS_KERNEL(252)
CONSTANTS_KERNEL(256)

// Parameter lists that mix pointers and scalars. All join what they read into one number, in the order of their
// parameters, so that operands that are swapped or shifted show.
static uint64_t join(uint64_t sum, uint64_t next) { return sum * 1000003u + next; }

// (float a, float* x, double b): x = a * x + b
HAL_LOCAL_KERNEL(mix_f32_pointer_f64) {
  (void)workgroup;
  float* x = HAL_LOCAL_BINDING(float, 0);
  *x = (float)(*HAL_LOCAL_CONSTANT(const float, 0) * *x + *HAL_LOCAL_CONSTANT(const double, 8));
  return 0;
}

// (const uint32_t* x, uint32_t a, uint64_t* sum, uint64_t b)
HAL_LOCAL_KERNEL(mix_pointer_u32_pointer_u64) {
  (void)workgroup;
  const uint64_t sum = join(*HAL_LOCAL_BINDING(const uint32_t, 0), *HAL_LOCAL_CONSTANT(const uint32_t, 0));
  *HAL_LOCAL_BINDING(uint64_t, 1) = join(sum, *HAL_LOCAL_CONSTANT(const uint64_t, 8));
  return 0;
}

// (uint8_t a, uint16_t b, uint32_t c, uint64_t d, uint64_t* sum)
HAL_LOCAL_KERNEL(mix_u8_u16_u32_u64_pointer) {
  (void)workgroup;
  uint64_t sum = join(*HAL_LOCAL_CONSTANT(const uint8_t, 0), *HAL_LOCAL_CONSTANT(const uint16_t, 2));
  sum = join(sum, *HAL_LOCAL_CONSTANT(const uint32_t, 4));
  *HAL_LOCAL_BINDING(uint64_t, 0) = join(sum, *HAL_LOCAL_CONSTANT(const uint64_t, 8));
  return 0;
}

// (uint64_t* sum, const uint32_t* x, const uint32_t* y, uint8_t a, double b)
HAL_LOCAL_KERNEL(mix_pointers_u8_f64) {
  (void)workgroup;
  uint64_t sum = join(*HAL_LOCAL_BINDING(const uint32_t, 1), *HAL_LOCAL_BINDING(const uint32_t, 2));
  sum = join(sum, *HAL_LOCAL_CONSTANT(const uint8_t, 0));
  *HAL_LOCAL_BINDING(uint64_t, 0) = join(sum, (uint64_t)*HAL_LOCAL_CONSTANT(const double, 8));
  return 0;
}

// (uint64_t b, uint64_t* sum, uint32_t a), with a before b in the constants
HAL_LOCAL_KERNEL(mix_constants_out_of_order) {
  (void)workgroup;
  *HAL_LOCAL_BINDING(uint64_t, 0) =
      join(*HAL_LOCAL_CONSTANT(const uint64_t, 8), *HAL_LOCAL_CONSTANT(const uint32_t, 0));
  return 0;
}

// (uint64_t* sum, const uint32_t* x, const uint32_t* y), which are bindings 2, 0 and 1
HAL_LOCAL_KERNEL(mix_bindings_out_of_order) {
  (void)workgroup;
  *HAL_LOCAL_BINDING(uint64_t, 2) = join(*HAL_LOCAL_BINDING(const uint32_t, 0), *HAL_LOCAL_BINDING(const uint32_t, 1));
  return 0;
}

// (const uint32_t* x, const uint32_t* y, uint64_t* sum): bindings 1 and 7 of set 0, binding 0 of set 1
HAL_LOCAL_KERNEL(mix_sparse_sets) {
  (void)workgroup;
  *HAL_LOCAL_BINDING(uint64_t, 2) = join(*HAL_LOCAL_BINDING(const uint32_t, 0), *HAL_LOCAL_BINDING(const uint32_t, 1));
  return 0;
}

// Twelve cells for each workgroup: its id, the number of workgroups, the size of a workgroup (x, y, z each), 0, 0, 0.
HAL_LOCAL_KERNEL(report_workgroup) {
  uint32_t* cells = HAL_LOCAL_BINDING(uint32_t, 0) + (size_t)linear_id(dispatch, workgroup) * 12;
  for (int i = 0; i < 3; ++i) {
    cells[i] = workgroup->id[i];
    cells[3 + i] = dispatch->workgroup_count[i];
    cells[6 + i] = dispatch->workgroup_size[i];
    cells[9 + i] = 0;
  }
  return 0;
}

// The same for an export without a size of its own.
HAL_LOCAL_KERNEL(report_sized_workgroup) { return report_workgroup(dispatch, workgroup); }

// Each workgroup adds one to its cell; those beyond the last of `cells` add to the last.
HAL_LOCAL_KERNEL(count_visits) {
  const uint32_t cells = *HAL_LOCAL_CONSTANT(const uint32_t, 0);
  uint32_t index = linear_id(dispatch, workgroup);
  if (index >= cells) index = cells - 1;
  __atomic_fetch_add(HAL_LOCAL_BINDING(uint32_t, 0) + index, 1, __ATOMIC_RELAXED);
  return 0;
}

// Each workgroup reverses its own `count` elements of the source by way of local memory.
static int32_t reverse(const hal_local_dispatch_t* dispatch, const hal_local_workgroup_t* workgroup) {
  const uint32_t count = *HAL_LOCAL_CONSTANT(const uint32_t, 0);
  const uint32_t* source = HAL_LOCAL_BINDING(const uint32_t, 0) + (size_t)workgroup->id[0] * count;
  uint32_t* target = HAL_LOCAL_BINDING(uint32_t, 1) + (size_t)workgroup->id[0] * count;
  uint32_t* local = (uint32_t*)workgroup->local_memory;
  if (workgroup->local_memory_size < count * sizeof(uint32_t)) return 1;
  if (count > 0 && (uintptr_t)local % 64 != 0) return 2;
  for (uint32_t i = 0; i < count; ++i) local[i] = source[i];
  for (uint32_t i = 0; i < count; ++i) target[i] = local[count - 1 - i];
  return 0;
}
// All of the local memory comes from the dispatch.
HAL_LOCAL_KERNEL(reverse_dynamic) { return reverse(dispatch, workgroup); }
// The kernel declares 256 bytes.
HAL_LOCAL_KERNEL(reverse_declared) { return reverse(dispatch, workgroup); }

// Workgroup `where` fails with `code`; the others add one to their cell.
HAL_LOCAL_KERNEL(fail_in_workgroup) {
  const int32_t code = *HAL_LOCAL_CONSTANT(const int32_t, 0);
  const uint32_t where = *HAL_LOCAL_CONSTANT(const uint32_t, 4);
  if (workgroup->id[0] == where) return code;
  HAL_LOCAL_BINDING(uint32_t, 0)[workgroup->id[0]] += 1;
  return 0;
}
