// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events of command buffers, for drivers that need no native ones.
#ifndef HALYARD_DRIVER_KIT_DEVICE_EVENT_H_
#define HALYARD_DRIVER_KIT_DEVICE_EVENT_H_

#include "base/host_memory.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Orders commands inside a command buffer. Its state belongs to one execution, so the object is only a name. A driver
/// may order more than an event asks for: with barriers, or by running its commands one after the other.
class Event final : public hal_event_t, public HostObject {
 public:
  explicit Event(const hal_event_vtable_t* vtable) : hal_event_t{} {
    hal_object_initialize(&object, HAL_OBJECT_KIND_EVENT, vtable);
  }
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_DEVICE_EVENT_H_
