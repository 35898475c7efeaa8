// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names a submission of a device by its queue and epoch.
#ifndef HALYARD_SUBMISSION_QUEUE_POINT_H_
#define HALYARD_SUBMISSION_QUEUE_POINT_H_

#include <cstdint>

namespace halyard {

/// The most queues of a device that the application sees.
inline constexpr uint32_t kMaxQueues = 32;
/// The interop queues of a device, for external streams and events. There are several, so that one long operation
/// delays few others.
inline constexpr uint32_t kInteropQueues = 4;

/// A submission of a queue of the device; with epoch 0, none.
struct QueuePoint {
  uint32_t queue = 0;
  uint64_t epoch = 0;
};

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_QUEUE_POINT_H_
