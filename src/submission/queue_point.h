// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A place in the order of a device's work.
#ifndef HALYARD_SUBMISSION_QUEUE_POINT_H_
#define HALYARD_SUBMISSION_QUEUE_POINT_H_

#include <cstdint>

namespace halyard {

/// The most queues of a device that the application sees.
inline constexpr uint32_t kMaxQueues = 32;
/// Queues beside those, for what comes from streams and events of the application. Several, so that one that takes long
/// delays few others.
inline constexpr uint32_t kInteropQueues = 4;

/// A submission of a queue of the device; with epoch 0, none.
struct QueuePoint {
  uint32_t queue = 0;
  uint64_t epoch = 0;
};

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_QUEUE_POINT_H_
