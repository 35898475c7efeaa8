// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/device.h"

#include <cinttypes>

#include "base/drain_scope.h"
#include "base/library_thread.h"
#include "core/public_call.h"
#include "core/validation/checks.h"

namespace halyard {

Status FailNoQueue(const char* function, const hal_device_t* device, hal_queue_mask_t queues) {
  return Fail(HAL_STATUS_OUT_OF_RANGE, "%s: queues 0x%" PRIx64 " names none of the device's %" PRIu32 " queues",
              function, queues, device->info->queue_count);
}

namespace {

Status Drain(hal_device_t* device, uint64_t timeout_ns) {
  constexpr const char* kFunction = "hal_device_drain";
  HAL_TRY(CheckNotNull(kFunction, "device", device));
  if (LibraryThread::OnOne() || DrainScope::IsOpen()) {
    return Fail(HAL_STATUS_FAILED_PRECONDITION,
                "%s: called in a callback or on a thread of the library, for whose end it would wait", kFunction);
  }
  const auto kept = Ref<hal_device_t>::Retaining(device);  // what ends meanwhile may give up the caller's reference
  return halyard::FromC(VtableOf(device)->drain(device, timeout_ns));
}

}  // namespace
}  // namespace halyard

using halyard::CheckNotNull;
using halyard::PassOn;
using halyard::Public;
using halyard::Status;
using halyard::VtableOf;

void hal_device_retain(hal_device_t* device) { halyard::RetainHandle(device); }
void hal_device_release(hal_device_t* device) { halyard::ReleaseHandle(device); }

const hal_device_info_t* hal_device_info(hal_device_t* device) {
  return halyard::IsUsable("hal_device_info", "device", device) ? device->info : nullptr;
}

hal_allocator_t* hal_device_allocator(hal_device_t* device) {
  return halyard::IsUsable("hal_device_allocator", "device", device) ? device->allocator : nullptr;
}

hal_status_t hal_device_query_format(hal_device_t* device, hal_string_view_t format) {
  constexpr const char* kFunction = "hal_device_query_format";
  return Public([&] {
    HAL_TRY(CheckNotNull(kFunction, "device", device));
    const hal_string_view_t name = halyard::ToC(halyard::View(format));
    if (name.size > 0) return halyard::FromC(VtableOf(device)->query_format(device, name));
    return halyard::Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: format is empty", kFunction);
  });
}

hal_status_t hal_device_query_health(hal_device_t* device) {
  return PassOn([&] {
    HAL_TRY(CheckNotNull("hal_device_query_health", "device", device));
    return halyard::FromC(VtableOf(device)->query_health(device));
  });
}

hal_status_t hal_device_drain(hal_device_t* device, uint64_t timeout_ns) {
  return Public([&] { return halyard::Drain(device, timeout_ns); });
}

hal_status_t hal_device_query_interface(hal_device_t* device, hal_string_view_t name, uint32_t version,
                                        const void** out_table) {
  constexpr const char* kFunction = "hal_device_query_interface";
  return Public([&] {
    HAL_TRY(CheckNotNull(kFunction, "out_table", out_table));
    *out_table = nullptr;
    HAL_TRY(CheckNotNull(kFunction, "device", device));
    const hal_string_view_t extension = halyard::ToC(halyard::View(name));
    if (extension.size > 0)
      return halyard::FromC(VtableOf(device)->query_interface(device, extension, version, out_table));
    return halyard::Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: name is empty", kFunction);
  });
}
