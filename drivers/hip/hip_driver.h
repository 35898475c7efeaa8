// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AMD GPUs, through the HIP runtime API. See docs/hip-driver.md.
#ifndef HALYARD_DRIVERS_HIP_HIP_DRIVER_H_
#define HALYARD_DRIVERS_HIP_HIP_DRIVER_H_

#include "halyard/driver_api.h"

/// The driver's tables, for the registry.
extern "C" const hal_driver_interface_t* hal_hip_driver_interface(void);

#endif  // HALYARD_DRIVERS_HIP_HIP_DRIVER_H_
