// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The extension of halyard/stream_interop.h by the name that HIP devices alone have. See docs/hip-driver.md.
///
/// Handles are a hipStream_t and a hipEvent_t; there is no context. Memory is a hipDeviceptr_t. The functions leave
/// nothing in the last error of the calling thread's device.
///
/// Streams are of the device and not under capture. The default streams (NULL, hipStreamLegacy, hipStreamPerThread) are
/// those of the device, whichever the calling thread has as its own.
#ifndef HALYARD_HIP_INTEROP_H_
#define HALYARD_HIP_INTEROP_H_

#include "halyard/stream_interop.h"

/// Name of the extension.
#define HAL_HIP_INTEROP_INTERFACE "halyard.hip.interop"

#endif  // HALYARD_HIP_INTEROP_H_
