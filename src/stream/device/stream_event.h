// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events inside recordings.
#ifndef HALYARD_STREAM_DEVICE_STREAM_EVENT_H_
#define HALYARD_STREAM_DEVICE_STREAM_EVENT_H_

#include "base/host_memory.h"
#include "halyard/driver_api.h"

namespace halyard::stream {

/// A name only: a stream runs a recording in order, which keeps what any event would.
class StreamEvent final : public hal_event_t, public HostObject {
 public:
  explicit StreamEvent(const hal_event_vtable_t* vtable) : hal_event_t{} {
    hal_object_initialize(&object, HAL_OBJECT_KIND_EVENT, vtable);
  }
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_DEVICE_STREAM_EVENT_H_
