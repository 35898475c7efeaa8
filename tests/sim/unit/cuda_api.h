// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulated CUDA as a program sees it.
#ifndef HALYARD_TESTS_SIM_UNIT_CUDA_API_H_
#define HALYARD_TESTS_SIM_UNIT_CUDA_API_H_

#include "cuda/abi/cuda_abi.h"
#include "sim_library.h"

namespace halyard::sim {

using namespace cuda::abi;

struct CudaApi : CudaFunctions, SimControl {
  /// Loads the library on first use, with the settings that the tests want.
  static const CudaApi& Get();
};

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_UNIT_CUDA_API_H_
