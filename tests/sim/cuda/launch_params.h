// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches as the vendor's functions describe them.
#ifndef HALYARD_TESTS_SIM_CUDA_LAUNCH_PARAMS_H_
#define HALYARD_TESTS_SIM_CUDA_LAUNCH_PARAMS_H_

#include "cuda/call.h"
#include "engine/module.h"

namespace halyard::cuda::abi {

// Checks the description and makes a launch of it, with a copy of the arguments. They come as one pointer for each
// parameter, or as one block of bytes in `extra`.
Error MakeLaunch(const CUDA_KERNEL_NODE_PARAMS& params, sim::Launch* launch);

}  // namespace halyard::cuda::abi

#endif  // HALYARD_TESTS_SIM_CUDA_LAUNCH_PARAMS_H_
