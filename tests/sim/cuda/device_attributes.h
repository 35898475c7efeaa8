// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the simulated devices say about themselves: an NVIDIA H200's answers, unless the environment or a test changes
// some of them.
#ifndef HALYARD_TESTS_SIM_CUDA_DEVICE_ATTRIBUTES_H_
#define HALYARD_TESTS_SIM_CUDA_DEVICE_ATTRIBUTES_H_

#include <optional>

#include "cuda/abi/cuda_abi.h"

namespace halyard::cuda::abi {

// Fills in every device, and then what HALYARD_SIM_ATTRIBUTES says.
void StartAttributes();
// Nothing if there is no such attribute. Under the runtime's lock.
std::optional<int> AttributeOf(CUdevice device, CUdevice_attribute attribute);

inline constexpr char kDeviceName[] = "NVIDIA H200 (simulated)";

}  // namespace halyard::cuda::abi

#endif  // HALYARD_TESTS_SIM_CUDA_DEVICE_ATTRIBUTES_H_
