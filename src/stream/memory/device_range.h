// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A part of a buffer, as the device sees it.
#ifndef HALYARD_STREAM_MEMORY_DEVICE_RANGE_H_
#define HALYARD_STREAM_MEMORY_DEVICE_RANGE_H_

#include <cstdint>

#include "stream/native/native_api.h"

namespace halyard::stream {

class StreamContext;

/// A bounded range of the device's memory.
struct DeviceRange {
  NativeAddress address = 0;
  uint64_t length = 0;   // bytes
  bool on_host = false;  // it lies in the host's memory
  uint32_t origin = 0;   // of its buffer: StreamBuffer::origin()
  // Whose memory it is, if that matters to a copy; NULL for the host's.
  const StreamContext* owner = nullptr;

  friend bool operator==(const DeviceRange&, const DeviceRange&) = default;
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_MEMORY_DEVICE_RANGE_H_
