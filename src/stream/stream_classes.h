// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The classes of a stream driver, for common/driver_interface.h.
#ifndef HALYARD_STREAM_STREAM_CLASSES_H_
#define HALYARD_STREAM_STREAM_CLASSES_H_

#include "stream/stream_allocator.h"
#include "stream/stream_buffer.h"
#include "stream/stream_command_buffer.h"
#include "stream/stream_device.h"
#include "stream/stream_event.h"
#include "stream/stream_executable.h"
#include "stream/stream_semaphore.h"

namespace halyard::stream {

/// All but the driver itself, which knows how to find devices.
template <class NativeDriver>
struct StreamClasses {
  using Driver = NativeDriver;
  using Device = StreamDevice;
  using Allocator = StreamAllocator;
  using Buffer = StreamBuffer;
  using Semaphore = StreamSemaphore;
  using Event = StreamEvent;
  using CommandBuffer = StreamCommandBuffer;
  using Executable = StreamExecutable;
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_STREAM_CLASSES_H_
