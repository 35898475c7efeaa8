// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of the dispatch benchmark, and functions as MLIR's calling conventions shape them.
#include <stdint.h>

#include "halyard/local_kernel.h"

HAL_LOCAL_KERNEL(empty) {
  (void)dispatch;
  (void)workgroup;
  return 0;
}

#define EXPORT __attribute__((visibility("default")))

typedef struct {
  float* allocated;
  float* aligned;
  int64_t offset;
  int64_t sizes[2];
  int64_t strides[2];
} Memref2;

// func @touch(%m: memref<?x?xf32>) -> f32
EXPORT float _mlir_ciface_touch(Memref2* m) { return m->aligned[0]; }

// The same without the wrapper.
EXPORT float touch(float* allocated, float* aligned, int64_t offset, int64_t size0, int64_t size1, int64_t stride0,
                   int64_t stride1) {
  (void)allocated, (void)offset, (void)size0, (void)size1, (void)stride0, (void)stride1;
  return aligned[0];
}
