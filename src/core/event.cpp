// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/event.h"

#include "core/public_call.h"
#include "core/validation/checks.h"

namespace halyard {
namespace {

Status CreateEvent(hal_device_t* device, hal_event_t** out_event) {
  constexpr const char* kFunction = "hal_event_create";
  if (Status status = CheckNotNull(kFunction, "out_event", out_event); status != kOk) return status;
  *out_event = nullptr;
  if (Status status = CheckNotNull(kFunction, "device", device); status != kOk) return status;
  hal_event_t* event = nullptr;
  if (Status status = VtableOf(device)->create_event(device, &event); status != kOk) return status;
  if (Status status = AdoptChild<hal_event_vtable_t>(kFunction, device, event); status != kOk) return status;
  *out_event = event;
  return kOk;
}

}  // namespace
}  // namespace halyard

hal_status_t hal_event_create(hal_device_t* device, hal_event_t** out_event) {
  return halyard::Public([&] { return halyard::CreateEvent(device, out_event); });
}
void hal_event_retain(hal_event_t* event) { halyard::Retain(event); }
void hal_event_release(hal_event_t* event) { halyard::Release(event); }
