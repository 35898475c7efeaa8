// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HALYARD_DRIVERS_HIP_HIP_COMPILER_H_
#define HALYARD_DRIVERS_HIP_HIP_COMPILER_H_

#include "halyard/source_compiler.h"
#include "hip/hip_api.h"

namespace halyard::hip {

/// Compiles HIP C++ for devices of this driver.
extern const hal_source_compiler_interface_t kSourceCompiler;

}  // namespace halyard::hip

#endif  // HALYARD_DRIVERS_HIP_HIP_COMPILER_H_
