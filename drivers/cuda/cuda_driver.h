// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA GPUs, through the CUDA driver API. See docs/cuda-driver.md.
#ifndef HALYARD_DRIVERS_CUDA_CUDA_DRIVER_H_
#define HALYARD_DRIVERS_CUDA_CUDA_DRIVER_H_

#include "halyard/driver_api.h"

/// The driver's tables, for the registry.
extern "C" const hal_driver_interface_t* hal_cuda_driver_interface(void);

#endif  // HALYARD_DRIVERS_CUDA_CUDA_DRIVER_H_
