// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The extension halyard.metal.interop.
#ifndef HALYARD_METAL_DEVICE_METAL_INTEROP_H_
#define HALYARD_METAL_DEVICE_METAL_INTEROP_H_

#include "driver_kit/device/device_extension.h"

namespace halyard::metal {

/// See halyard/metal_interop.h.
DeviceExtension InteropExtension();

}  // namespace halyard::metal

#endif  // HALYARD_METAL_DEVICE_METAL_INTEROP_H_
