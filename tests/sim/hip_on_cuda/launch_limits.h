// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much HIP launches at once.
#ifndef HALYARD_TESTS_SIM_HIP_ON_CUDA_LAUNCH_LIMITS_H_
#define HALYARD_TESTS_SIM_HIP_ON_CUDA_LAUNCH_LIMITS_H_

#include "hip/abi/hip_abi.h"

namespace halyard::hip::abi {

// Memory of a workgroup, declared and dynamic together. There is no opt-in.
inline constexpr int kMostLocalMemory = 65536;  // bytes

// Whether the work-items of each dimension can be counted in 32 bits.
inline bool CountsFit(const dim3& grid, const dim3& block) {
  const auto fits = [](uint64_t groups, uint32_t size) { return groups * size <= UINT32_MAX; };
  return fits(grid.x, block.x) && fits(grid.y, block.y) && fits(grid.z, block.z);
}

}  // namespace halyard::hip::abi

#endif  // HALYARD_TESTS_SIM_HIP_ON_CUDA_LAUNCH_LIMITS_H_
