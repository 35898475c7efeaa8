// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/dlpack/dlpack_devices.h"

#include "driver_kit/object/vtable.h"
#include "halyard/stream_interop.h"

namespace halyard::dlpack {
namespace {

/// The device's extension for streams; NULL if it has none.
const hal_stream_interop_interface_t* FindStreams(hal_device_t* device) {
  const void* table = nullptr;
  const hal_string_view_t name = hal_string_view(HAL_STREAM_INTEROP_INTERFACE);
  const bool found = Succeeds(FromC(VtableOf(device)->query_interface(device, name, 1, &table)));
  return found ? static_cast<const hal_stream_interop_interface_t*>(table) : nullptr;
}

}  // namespace

Status DescribeDevice(hal_device_t* device, Device* out_device) {
  *out_device = {kCpu, 0};
  const hal_stream_interop_interface_t* const streams = FindStreams(device);
  if (!streams) return kOk;
  out_device->type = streams->dlpack_device_type;
  return FromC(streams->native_device(device, nullptr, &out_device->id));
}

}  // namespace halyard::dlpack
