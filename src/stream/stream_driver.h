// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The classes of a stream driver, for driver_kit/device/driver_interface.h.
#ifndef HALYARD_STREAM_STREAM_DRIVER_H_
#define HALYARD_STREAM_STREAM_DRIVER_H_

#include "driver_kit/device/event.h"
#include "stream/device/stream_device.h"
#include "stream/memory/stream_allocator.h"
#include "stream/memory/stream_buffer.h"
#include "stream/recording/stream_command_buffer.h"
#include "stream/recording/stream_executable.h"
#include "submission/submission_semaphore.h"

namespace halyard::stream {

/// All but the driver itself, which knows how to find devices.
template <class NativeDriver>
struct StreamClasses {
  using Driver = NativeDriver;
  using Device = StreamDevice;
  using Allocator = StreamAllocator;
  using Buffer = StreamBuffer;
  using Semaphore = SubmissionSemaphore;
  using Event = halyard::Event;
  using CommandBuffer = StreamCommandBuffer;
  using Executable = StreamExecutable;
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_STREAM_DRIVER_H_
