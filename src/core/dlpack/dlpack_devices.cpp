// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/dlpack/dlpack_devices.h"

#include "driver_kit/object/vtable.h"
#include "halyard/cuda_interop.h"
#include "halyard/hip_interop.h"

namespace halyard::dlpack {
namespace {

/// The table of a device's extension; NULL if the device has none of that name.
template <class Table>
const Table* FindInterface(hal_device_t* device, const char* name) {
  const ScopedErrorMessage keeper;
  const void* table = nullptr;
  const hal_status_t status = VtableOf(device)->query_interface(device, hal_string_view(name), 1, &table);
  return status == HAL_STATUS_OK ? static_cast<const Table*>(table) : nullptr;
}

}  // namespace

Status DescribeDevice(hal_device_t* device, Device* out_device) {
  *out_device = {kCpu, 0};
  if (const auto* cuda = FindInterface<hal_cuda_interop_interface_t>(device, HAL_CUDA_INTEROP_INTERFACE)) {
    void* context = nullptr;
    out_device->type = kCuda;
    return cuda->context(device, &context, &out_device->id);
  }
  if (const auto* hip = FindInterface<hal_hip_interop_interface_t>(device, HAL_HIP_INTEROP_INTERFACE)) {
    out_device->type = kRocm;
    return hip->device(device, &out_device->id);
  }
  return kOk;
}

}  // namespace halyard::dlpack
