// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/event.h"

#include "core/public_call.h"
#include "core/validation/checks.h"

namespace halyard {
namespace {

Status CreateEvent(hal_device_t* device, hal_event_t** out_event) {
  HAL_TRY(CheckNotNull("device", device));
  hal_event_t* event = nullptr;
  HAL_TRY(VtableOf(device)->create_event(device, &event));
  HAL_TRY(AdoptChild<hal_event_vtable_t>(device, event));
  *out_event = event;
  return kOk;
}

}  // namespace
}  // namespace halyard

hal_status_t hal_event_create(hal_device_t* device, hal_event_t** out_event) {
  return halyard::PublicThatGives("out_event", out_event, [&] { return halyard::CreateEvent(device, out_event); });
}
void hal_event_retain(hal_event_t* event) { halyard::RetainHandle(event); }
void hal_event_release(hal_event_t* event) { halyard::ReleaseHandle(event); }
