// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/native/device_event.h"

#include <memory>

namespace halyard::stream {

DeviceEventRef::~DeviceEventRef() {
  // acq_rel: the thread that records it again comes after all that was done with it.
  if (event_ && event_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) event_->pool->Recycle(event_);
}

DeviceEventPool::~DeviceEventPool() {
  while (DeviceEvent* event = Pop()) {
    api_.DestroyEvent(event->native);
    delete event;
  }
}

Status DeviceEventPool::Acquire(DeviceEventRef* out_event) {
  if (DeviceEvent* event = Pop()) {
    *out_event = DeviceEventRef(event);
    return kOk;
  }
  auto event = std::make_unique<DeviceEvent>();
  HAL_TRY(api_.CreateEvent(kind_, &event->native));
  event->pool = this;
  *out_event = DeviceEventRef(event.release());
  return kOk;
}

DeviceEvent* DeviceEventPool::Pop() noexcept {
  const std::lock_guard lock(mutex_);
  DeviceEvent* const event = free_;
  if (event) free_ = event->next;
  return event;
}

void DeviceEventPool::Recycle(DeviceEvent* event) noexcept {
  const std::lock_guard lock(mutex_);
  event->next = free_;
  free_ = event;
}

}  // namespace halyard::stream
