// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events of the null driver.
#ifndef HALYARD_DRIVERS_NULL_NULL_EVENT_H_
#define HALYARD_DRIVERS_NULL_NULL_EVENT_H_

#include "base/host_memory.h"
#include "halyard/driver_api.h"

namespace halyard::null {

/// Orders commands inside a recording. Its state belongs to one execution, so the object is little more than a name.
/// Replace: by the vendor's event, or leave it and turn waits into barriers, which is always right.
class NullEvent final : public hal_event_t, public HostObject {
 public:
  explicit NullEvent(const hal_event_vtable_t* vtable) : hal_event_t{} {
    hal_object_initialize(&object, HAL_OBJECT_KIND_EVENT, vtable);
  }
};

}  // namespace halyard::null

#endif  // HALYARD_DRIVERS_NULL_NULL_EVENT_H_
