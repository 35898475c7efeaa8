// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and events that the application made, in one order with the device's queues.
//
// Everything is a submission to an *interop queue*, a queue that the application does not see. Its stream waits for the
// external event, or for one that is recorded in the external stream after the work that was put there. From there on
// it is a submission like any other, with an epoch, pending signals and a place in the order of retirement. So no
// handle of the application is kept, nothing is polled, and no thread waits for it.
//
// An external stream is never made to wait for what has not been submitted: the wait would keep the stream from running
// what it waits for. So nothing is deferred here either: a wait that is not resolvable is refused.
#ifndef HALYARD_STREAM_DEVICE_EXTERNAL_STREAMS_H_
#define HALYARD_STREAM_DEVICE_EXTERNAL_STREAMS_H_

#include "base/status.h"
#include "halyard/driver_api.h"
#include "stream/native/native_api.h"

namespace halyard::stream {

class StreamDevice;

/// How a submission meets what the application made.
struct ExternalWork {
  enum class Kind {
    kAwaitEvent,   ///< it comes after an event that was recorded
    kRecordEvent,  ///< it records an event
    kUseStream,    ///< it goes into a stream
  };
  Kind kind{};
  NativeEvent event = nullptr;
  NativeStream stream = nullptr;
};

/// Lists must have semaphores and values. The rest is as include/halyard/cuda_interop.h says.
Status ImportEvent(StreamDevice& device, NativeEvent event, hal_semaphore_list_t signals);
Status ExportEvent(StreamDevice& device, hal_semaphore_list_t waits, NativeEvent event);
/// An operation whose `waits` and `signals` are those of a queue operation.
Status SubmitOnStream(StreamDevice& device, NativeStream stream, const hal_queue_operation_t& operation);
/// Nothing but its waits and signals.
Status JoinStream(StreamDevice& device, NativeStream stream, hal_semaphore_list_t waits, hal_semaphore_list_t signals);

/// What this thread submits to the device goes into `stream`, until EndStream().
Status BeginStream(StreamDevice& device, NativeStream stream);
Status EndStream(StreamDevice& device);
/// Whether this thread has begun a stream of the device: one look at a thread-local pointer.
bool HasBegunStream(const StreamDevice& device, NativeStream* out_stream);

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_DEVICE_EXTERNAL_STREAMS_H_
