// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events of the local driver. Command buffers turn them into barriers, so an event is only a name.
#ifndef HALYARD_DRIVERS_LOCAL_LOCAL_EVENT_H_
#define HALYARD_DRIVERS_LOCAL_LOCAL_EVENT_H_

#include "base/host_memory.h"
#include "halyard/driver_api.h"

namespace halyard::local {

class LocalEvent final : public hal_event_t, public HostObject {
 public:
  explicit LocalEvent(const hal_event_vtable_t* vtable) : hal_event_t{} {
    hal_object_initialize(&object, HAL_OBJECT_KIND_EVENT, vtable);
  }
};

}  // namespace halyard::local

#endif  // HALYARD_DRIVERS_LOCAL_LOCAL_EVENT_H_
