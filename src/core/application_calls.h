// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The application's callbacks on their way through a driver. Drivers call back at once, wherever they are; these see to
// it that the application is called when that does no harm, that no exception passes a driver, and that callbacks do
// not nest.
#ifndef HALYARD_CORE_APPLICATION_CALLS_H_
#define HALYARD_CORE_APPLICATION_CALLS_H_

#include <utility>

#include "base/drain_scope.h"
#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/object/vtable.h"
#include "halyard/driver_api.h"

namespace halyard {

/// A timepoint's callback. Frees itself once it was called.
class TimepointCall final : public Runnable, public HostObject {
 public:
  TimepointCall(hal_timepoint_fn_t callback, void* user_data) : callback_(callback), user_data_(user_data) {}

  /// What the semaphore calls, with a TimepointCall.
  static void OnTimepoint(void* call, hal_status_t status, hal_string_view_t message);
  void Run() noexcept override;

  // Each thread that asks for callbacks keeps the memory of one that was called, so that one at a time allocates once.
  static void* operator new(size_t size);
  static void operator delete(void* memory, size_t size) noexcept;

 private:
  const hal_timepoint_fn_t callback_;
  void* const user_data_;
  Failure failure_;
};

/// A release callback. Frees itself once it was called. A release callback that drops the last reference to what has
/// one of its own must return first.
class ReleaseCall final : public Runnable, public HostObject {
 public:
  using Function = void (*)(void* user_data);
  ReleaseCall(Function callback, void* user_data) : callback_(callback), user_data_(user_data) {}

  /// What the owner of the memory calls, with a ReleaseCall.
  static void OnRelease(void* call);
  void Run() noexcept override;

 private:
  const Function callback_;
  void* const user_data_;
};

/// Runs `body`, which returns a Status, as a function that the application called: what it brings about, callbacks
/// among it, runs after its last touch of the arguments.
template <class Body>
Status GuardAndDrain(Body&& body) noexcept {
  const DrainScope scope;
  return Guard(std::forward<Body>(body));
}

}  // namespace halyard

#endif  // HALYARD_CORE_APPLICATION_CALLS_H_
