// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A capture of one device: who receives its records, and for how long.
#ifndef HALYARD_DRIVER_KIT_TRACE_PROFILING_SESSION_H_
#define HALYARD_DRIVER_KIT_TRACE_PROFILING_SESSION_H_

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/status.h"
#include "halyard/profiling.h"

namespace halyard {

class GroupTimes;

/// What the records of one operation's dispatches share, and the debug groups that they are in.
struct OperationRecord : hal_profiling_record_t {
  GroupTimes* groups = nullptr;  ///< NULL unless the command buffer has groups that are to be recorded
};

/// The capture of a device. Costs one relaxed load where none is under way.
class ProfilingSession {
 public:
  Status Begin(hal_profiling_flags_t flags, const hal_profiling_sink_t* sink);
  /// Returns once the sink is not being called any more.
  Status End();

  /// Whether records of these kinds are wanted now. A hint: a capture may begin or end right after.
  bool Wants(hal_profiling_flags_t flags) const { return (flags_.load(std::memory_order_relaxed) & flags) != 0; }
  /// Whether dispatches are to be timed.
  bool WantsDispatches() const { return Wants(HAL_PROFILING_DISPATCHES | HAL_PROFILING_DEBUG_GROUPS); }
  /// Hands a record to the sink if its kind is still wanted.
  void Record(const hal_profiling_record_t& record);
  /// The same for a dispatch, whose debug groups note it.
  void RecordDispatch(const OperationRecord& record);

 private:
  // The sink is called without a lock, so that it may call the library. A call announces itself in calls_ before it
  // looks at flags_, and End() clears flags_ before it looks at calls_ (all sequentially consistent): either the call
  // sees that the capture has ended, or End() sees the call and waits for it.
  std::mutex mutex_;                             // orders Begin() and End(); not held while End() waits
  bool ending_ = false;                          // with mutex_: an End() waits for calls of the sink
  std::atomic<hal_profiling_flags_t> flags_{0};  // 0 without a capture
  std::atomic<uint32_t> calls_{0};               // in Record() now
  hal_profiling_sink_t sink_{};                  // written while flags_ is 0 and no capture is ending
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_TRACE_PROFILING_SESSION_H_
