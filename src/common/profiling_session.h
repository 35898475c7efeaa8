// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A capture of one device: who receives its records, and for how long.
#ifndef HALYARD_COMMON_PROFILING_SESSION_H_
#define HALYARD_COMMON_PROFILING_SESSION_H_

#include <atomic>
#include <shared_mutex>

#include "common/status.h"
#include "halyard/profiling.h"

namespace halyard {

/// The capture of a device. Costs one relaxed load where none is under way.
class ProfilingSession {
 public:
  Status Begin(hal_profiling_flags_t flags, const hal_profiling_sink_t* sink);
  /// Returns once the sink is not being called any more.
  Status End();

  /// Whether records of these kinds are wanted now. A hint: a capture may begin or end right after.
  bool Wants(hal_profiling_flags_t flags) const { return (flags_.load(std::memory_order_relaxed) & flags) != 0; }
  /// Hands a record to the sink if its kind is still wanted.
  void Record(const hal_profiling_record_t& record);

 private:
  std::shared_mutex mutex_;  // shared while the sink is called, exclusive while it changes; protects sink_
  std::atomic<hal_profiling_flags_t> flags_{0};  // 0 without a capture
  hal_profiling_sink_t sink_{};
};

}  // namespace halyard

#endif  // HALYARD_COMMON_PROFILING_SESSION_H_
