// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptions of copies, in the engine's words.
#ifndef HALYARD_TESTS_SIM_HIP_COPY_PARAMS_H_
#define HALYARD_TESTS_SIM_HIP_COPY_PARAMS_H_

#include "engine/transfer.h"
#include "hip/abi/hip_abi.h"

namespace halyard::hip::abi {

// kNotSupported for what is not simulated: arrays and positions.
sim::Error ReadCopy(const hipMemcpy3DParms* params, sim::CopyRows* copy);

}  // namespace halyard::hip::abi

#endif  // HALYARD_TESTS_SIM_HIP_COPY_PARAMS_H_
