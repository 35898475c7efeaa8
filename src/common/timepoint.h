// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timepoints: callbacks that wait for a value of a timeline, and the pool they come from.
#ifndef HALYARD_COMMON_TIMEPOINT_H_
#define HALYARD_COMMON_TIMEPOINT_H_

#include <compare>
#include <cstdint>
#include <mutex>
#include <utility>

#include "common/host_memory.h"
#include "halyard/semaphore.h"

namespace halyard {

// Batches of these lie on the stack, and are written before they are read: no initialisers.

/// Whom to call when a value is reached.
struct Timepoint {
  hal_timepoint_fn_t callback;
  void* user_data;
};

/// When it falls due. The sequence number keeps equal values in order of registration and makes every key unique, so
/// that a stale cancel finds nothing.
struct TimepointKey {
  uint64_t value;
  uint64_t sequence;
  auto operator<=>(const TimepointKey&) const = default;  // NOLINT(modernize-use-nullptr): a fault of clang-tidy 14
};

struct TimepointEntry {
  TimepointKey key;
  Timepoint timepoint;
};

using TimepointMap = HostMap<TimepointKey, Timepoint>;

/// A map node outside of any map: it moves between pool and timelines without being allocated again.
using TimepointNode = TimepointMap::node_type;

/// Free nodes for all timelines of the process, so that registering allocates nothing once warm.
class TimepointPool : public HostObject {
 public:
  /// The one of the process.
  static TimepointPool& Get();

  /// A node, from the pool or new.
  TimepointNode Acquire();
  /// Takes nodes back; they are moved from.
  void Recycle(TimepointNode* nodes, size_t count) noexcept;

 private:
  // Nodes beyond this are freed. 2^17 of them take about 12 MiB.
  static constexpr size_t kMaxFree = size_t{1} << 17;

  std::mutex mutex_;  // protects what follows; a leaf lock
  HostVector<TimepointNode> free_;
  size_t made_ = 0;  // nodes that may come back
};

}  // namespace halyard

#endif  // HALYARD_COMMON_TIMEPOINT_H_
