// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of a stream device, and their parser.
#ifndef HALYARD_STREAM_NATIVE_STREAM_OPTIONS_H_
#define HALYARD_STREAM_NATIVE_STREAM_OPTIONS_H_

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "base/wait_policy.h"
#include "driver_kit/device/options.h"
#include "stream/native/native_api.h"

namespace halyard::stream {

/// The identity of a device. The strings are copied.
struct StreamDeviceIdentity {
  std::string_view id;    ///< stable: a UUID
  std::string_view name;  ///< for people
  uint32_t ordinal = 0;
};

/// How command buffers run.
enum class CommandBufferMode {
  kStream,  ///< replayed into the stream
  kGraph,   ///< as graphs, as far as graphs can hold them
  kAuto,    ///< as graphs where that is likely to pay: on CUDA, if they are reusable, and not short
};

/// The option for the side that reads the counts of indirect dispatches in command buffers that run as graphs.
enum class IndirectChoice {
  kAuto,    ///< the device where it can
  kHost,    ///< the host
  kDevice,  ///< the device
};

/// Which side reads the counts of indirect dispatches.
enum class IndirectMode {
  kHost,    ///< the host, which then launches the dispatch
  kDevice,  ///< the device, in the midst of a graph
};

/// How the device works.
struct StreamDeviceOptions {
  uint32_t queue_count = 4;
  bool fast_completion = false;
  bool async_allocation = false;
  CommandBufferMode command_buffer = CommandBufferMode::kAuto;
  IndirectChoice indirect = IndirectChoice::kAuto;
  uint64_t memory = 0;                         ///< bytes that buffers may take in all
  uint64_t pool = UINT64_MAX;                  ///< bytes of device memory that are kept for reuse
  uint64_t pinned_pool = uint64_t{256} << 20;  ///< bytes of pinned memory, likewise
  WaitMode wait = WaitMode::kAuto;             ///< how threads of the application wait
  std::string_view trace;                      ///< the file to write a trace to; empty for none
};

/// Reads `queues`, `completion`, `command_buffer`, `indirect`, `async_allocation`, `memory`, `pool`, `pinned_pool`,
/// `wait` and `trace`. An option that the device cannot provide is UNAVAILABLE if the caller named it. Otherwise it is
/// not used.
Status ReadOptions(Options& options, const NativeTraits& traits, StreamDeviceOptions* out);

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_NATIVE_STREAM_OPTIONS_H_
