// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GNUstep's headers ask for this file. The functions are in tests/sim/metal/runtime/blocks.cpp.
#ifndef HALYARD_SIM_METAL_BLOCKS_RUNTIME_H_
#define HALYARD_SIM_METAL_BLOCKS_RUNTIME_H_

#ifdef __cplusplus
extern "C" {
#endif
void* _Block_copy(const void* block);
void _Block_release(const void* block);
#ifdef __cplusplus
}
#endif
#define Block_copy(block) ((__typeof__(block))_Block_copy((const void*)(block)))
#define Block_release(block) _Block_release((const void*)(block))

#endif  // HALYARD_SIM_METAL_BLOCKS_RUNTIME_H_
