// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a stream device is opened with.
#ifndef HALYARD_STREAM_STREAM_OPTIONS_H_
#define HALYARD_STREAM_STREAM_OPTIONS_H_

#include <cstdint>
#include <string_view>

#include "common/options.h"
#include "common/status.h"
#include "stream/native_api.h"

namespace halyard::stream {

/// Which device it is. The strings are copied.
struct StreamDeviceIdentity {
  std::string_view id;    ///< stable: a UUID
  std::string_view name;  ///< for people
  uint32_t ordinal = 0;
};

/// How it is to work.
struct StreamDeviceOptions {
  uint32_t queue_count = 4;
  bool fast_completion = false;
  bool async_allocation = false;
  uint64_t memory = 0;  ///< bytes that buffers may take in all
};

/// Reads `queues`, `completion`, `async_allocation` and `memory`. What the device cannot do is UNAVAILABLE if it was
/// asked for by name, and otherwise not used.
Status ReadOptions(Options& options, const NativeTraits& traits, StreamDeviceOptions* out);

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_STREAM_OPTIONS_H_
