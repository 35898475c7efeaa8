// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of this process that wait, and the processors that they may use.
#ifndef HALYARD_DRIVER_KIT_TIMELINE_WAITING_THREADS_H_
#define HALYARD_DRIVER_KIT_TIMELINE_WAITING_THREADS_H_

#include <cstdint>

#include "base/host_memory.h"
#include "base/library_thread.h"
#include "base/wait_policy.h"
#include "halyard/semaphore.h"

namespace halyard {

/// The WaitRoom of the process. Thread-safe.
class WaitingThreads : public HostObject {
 public:
  /// Counts the processors, which takes some system calls.
  WaitingThreads();

  /// The one of the process. Devices ask for it when they are made, so that no wait has to count processors.
  static WaitingThreads& Get();

  WaitRoom& room() { return room_; }
  /// Reads how busy the machine is, if that was long ago. For a wait that began at `start`.
  void Refresh(uint64_t start, uint64_t now) noexcept {
    if (room_.WantsLoad(start, now)) ReadLoad();
  }
  /// Threads of the library that work.
  uint32_t CountWorking() const { return LibraryThread::CountWorking(process_); }

 private:
  void ReadLoad() noexcept;

  const uint64_t process_;
  WaitRoom room_;
};

/// The mode that a wait's flags name, or the one of its device.
inline WaitMode ModeOf(hal_wait_flags_t flags, WaitMode of_device) {
  if (flags & HAL_WAIT_SPIN) return WaitMode::kSpin;
  if (flags & HAL_WAIT_YIELD) return WaitMode::kYield;
  if (flags & HAL_WAIT_BLOCK) return WaitMode::kBlock;
  return flags & HAL_WAIT_AUTO ? WaitMode::kAuto : of_device;
}

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_TIMELINE_WAITING_THREADS_H_
