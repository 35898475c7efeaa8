// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declares every function of drivers/cuda/abi/cuda_abi.h as this library exports it, so that a definition with another
// signature does not compile.
#ifndef HALYARD_TESTS_SIM_CUDA_ENTRY_POINTS_H_
#define HALYARD_TESTS_SIM_CUDA_ENTRY_POINTS_H_

#include "cuda/abi/cuda_abi.h"

namespace halyard::cuda::abi {

#define HALYARD_SIM_DECLARE(base, suffix, version, need, signature) \
  __attribute__((visibility("default"))) CUresult base##suffix signature;
extern "C" {
HALYARD_CUDA_FUNCTIONS(HALYARD_SIM_DECLARE)
}
#undef HALYARD_SIM_DECLARE

}  // namespace halyard::cuda::abi

#endif  // HALYARD_TESTS_SIM_CUDA_ENTRY_POINTS_H_
