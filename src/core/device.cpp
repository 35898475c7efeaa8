// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/device.h"

#include <cinttypes>

#include "base/drain_scope.h"
#include "base/library_thread.h"
#include "core/public_call.h"
#include "core/validation/checks.h"

namespace halyard {

Status FailNoQueue(const hal_device_t* device, hal_queue_mask_t queues) {
  return Fail(HAL_STATUS_OUT_OF_RANGE, "queues 0x%" PRIx64 " names none of the device's %" PRIu32 " queues", queues,
              device->info->queue_count);
}

namespace {

Status Drain(hal_device_t* device, uint64_t timeout_ns) {
  HAL_TRY(CheckNotNull("device", device));
  if (LibraryThread::OnOne() || DrainScope::IsOpen()) {
    return FailWith(HAL_STATUS_FAILED_PRECONDITION,
                    "called in a callback or on a thread of the library, for whose end it would wait");
  }
  const auto kept = Ref<hal_device_t>::Retaining(device);  // what ends meanwhile may give up the caller's reference
  return halyard::FromC(VtableOf(device)->drain(device, timeout_ns));
}

}  // namespace
}  // namespace halyard

using halyard::CheckNotNull;
using halyard::PassOnAndDrain;
using halyard::Public;
using halyard::VtableOf;

void hal_device_retain(hal_device_t* device) { halyard::RetainHandle(device); }
void hal_device_release(hal_device_t* device) { halyard::ReleaseHandle(device); }

const hal_device_info_t* hal_device_info(hal_device_t* device) {
  return halyard::IsUsable("device", device) ? device->info : nullptr;
}

hal_allocator_t* hal_device_allocator(hal_device_t* device) {
  return halyard::IsUsable("device", device) ? device->allocator : nullptr;
}

hal_status_t hal_device_query_format(hal_device_t* device, hal_string_view_t format) {
  return Public([&] {
    HAL_TRY(CheckNotNull("device", device));
    const hal_string_view_t name = halyard::ToC(halyard::View(format));
    if (name.size > 0) return halyard::FromC(VtableOf(device)->query_format(device, name));
    return halyard::FailWith(HAL_STATUS_INVALID_ARGUMENT, "format is empty");
  });
}

hal_status_t hal_device_query_health(hal_device_t* device) {
  return PassOnAndDrain([&] { return CheckNotNull("device", device); },
                        [&] { return halyard::FromC(VtableOf(device)->query_health(device)); });
}

hal_status_t hal_device_drain(hal_device_t* device, uint64_t timeout_ns) {
  return Public([&] { return halyard::Drain(device, timeout_ns); });
}

hal_status_t hal_device_query_interface(hal_device_t* device, hal_string_view_t name, uint32_t version,
                                        const void** out_table) {
  return Public([&] {
    HAL_TRY(CheckNotNull("out_table", out_table));
    *out_table = nullptr;
    HAL_TRY(CheckNotNull("device", device));
    const hal_string_view_t extension = halyard::ToC(halyard::View(name));
    if (extension.size > 0)
      return halyard::FromC(VtableOf(device)->query_interface(device, extension, version, out_table));
    return halyard::FailWith(HAL_STATUS_INVALID_ARGUMENT, "name is empty");
  });
}
