// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams of CUDA and HIP, in one order with streams of Halyard.
#ifndef HALYARD_PYTHON_STREAM_INTEROP_H_
#define HALYARD_PYTHON_STREAM_INTEROP_H_

#include <halyard/stream_interop.h>

#include "stream.h"

namespace halyard::python {

/// NULL for a device that has no streams of its vendor.
const hal_stream_interop_interface_t* FindStreamInterop(hal_device_t* device);
/// The stream of the device's first queue, as a number.
uintptr_t NativeStream(hal_device_t* device);
/// Work of `stream` comes after what a stream of the vendor has.
void WaitForNative(const std::shared_ptr<DeviceCore>& device, uintptr_t native, StreamCore& stream);

}  // namespace halyard::python

#endif  // HALYARD_PYTHON_STREAM_INTEROP_H_
