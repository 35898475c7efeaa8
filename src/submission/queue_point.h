// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A place in the order of a device's work.
#ifndef HALYARD_SUBMISSION_QUEUE_POINT_H_
#define HALYARD_SUBMISSION_QUEUE_POINT_H_

#include <cstdint>

namespace halyard::stream {

/// A submission of a queue of the device; with epoch 0, none.
struct QueuePoint {
  uint32_t queue = 0;
  uint64_t epoch = 0;
};

}  // namespace halyard::stream

#endif  // HALYARD_SUBMISSION_QUEUE_POINT_H_
