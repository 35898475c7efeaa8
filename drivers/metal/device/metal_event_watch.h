// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events of the application that points wait for.
#ifndef HALYARD_METAL_DEVICE_METAL_EVENT_WATCH_H_
#define HALYARD_METAL_DEVICE_METAL_EVENT_WATCH_H_

#include <cstdint>
#include <memory>

#include "base/library_thread.h"
#include "base/status.h"
#include "halyard/driver_api.h"
#include "metal/native/metal_types.h"

namespace halyard::metal {

/// A listener of Metal's tells that an event has reached a value. Users of Metal have seen listeners miss values that
/// the host had set. So a thread looks at the events too, twenty times in a second, as long as there are any.
class EventWatch {
 public:
  EventWatch();
  /// No event is left, as each keeps the device. May run on the thread of this object.
  ~EventWatch();
  EventWatch(const EventWatch&) = delete;
  EventWatch& operator=(const EventWatch&) = delete;

  /// Signals the points once the event has the value. Keeps the device until then.
  Status Add(hal_device_t* device, NativeSharedEvent event, uint64_t value, hal_semaphore_list_t signals);

 private:
  struct Event;
  struct Notice;
  struct State;

  static void OnReached(void* notice) noexcept;
  static void Loop(State& state) noexcept;
  Status StartThread();

  const std::shared_ptr<State> state_;
  LibraryThread thread_;  // started with the mutex of state_
  bool started_ = false;  // with that mutex
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_DEVICE_METAL_EVENT_WATCH_H_
