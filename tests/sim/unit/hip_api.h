// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulated HIP as a program sees it.
#ifndef HALYARD_TESTS_SIM_UNIT_HIP_API_H_
#define HALYARD_TESTS_SIM_UNIT_HIP_API_H_

#include "hip/abi/hip_abi.h"
#include "sim_library.h"

namespace halyard::sim {

struct HipApi : hip::abi::HipFunctions, SimControl {
  using hipError_t = hip::abi::hipError_t;
  using hipStream_t = hip::abi::hipStream_t;

  /// Loads the library on first use, with the settings that the tests want.
  static const HipApi& Get();

  hipError_t (*hipStreamWaitValue64)(hipStream_t stream, void* address, uint64_t value, unsigned int flags,
                                     uint64_t mask) = nullptr;
  void* library = nullptr;
};

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_UNIT_HIP_API_H_
