// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HALYARD_DRIVERS_CUDA_CUDA_COMPILER_H_
#define HALYARD_DRIVERS_CUDA_CUDA_COMPILER_H_

#include "cuda/cuda_api.h"
#include "halyard/source_compiler.h"

namespace halyard::cuda {

/// Compiles CUDA C++ for devices of this driver.
extern const hal_source_compiler_interface_t kSourceCompiler;

}  // namespace halyard::cuda

#endif  // HALYARD_DRIVERS_CUDA_CUDA_COMPILER_H_
