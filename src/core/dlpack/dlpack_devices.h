// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices by DLPack's numbers.
#ifndef HALYARD_CORE_DLPACK_DLPACK_DEVICES_H_
#define HALYARD_CORE_DLPACK_DLPACK_DEVICES_H_

#include "base/status.h"
#include "core/dlpack/dlpack_abi.h"
#include "halyard/driver_api.h"

namespace halyard::dlpack {

/// What DLPack calls a device with memory of its own: what its driver says; kCpu for all others.
Status DescribeDevice(hal_device_t* device, Device* out_device);

}  // namespace halyard::dlpack

#endif  // HALYARD_CORE_DLPACK_DLPACK_DEVICES_H_
