// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders external streams and events with the device's queues.
//
// Each use is a submission to an *interop queue*, a queue that the application does not see. The stream of that queue
// waits for the external event, or for an event that is recorded in the external stream after the work there. After
// that, the submission is like any other, with an epoch, pending signals and a place in the order of retirement. So the
// device keeps no handle of the application, polls nothing, and needs no waiting thread.
//
// An external stream never waits for work that is not submitted yet: the wait would keep the stream from running that
// work. So no operation is deferred here: a wait that is not resolvable is refused.
#ifndef HALYARD_STREAM_DEVICE_EXTERNAL_STREAMS_H_
#define HALYARD_STREAM_DEVICE_EXTERNAL_STREAMS_H_

#include "base/status.h"
#include "halyard/driver_api.h"
#include "stream/native/native_api.h"

namespace halyard::stream {

class StreamDevice;

/// How a submission uses an external stream or event.
struct ExternalWork {
  enum class Kind {
    kAwaitEvent,   ///< it waits for an event that was recorded
    kRecordEvent,  ///< it records an event
    kUseStream,    ///< it goes into a stream
  };
  Kind kind{};
  NativeEvent event = nullptr;
  NativeStream stream = nullptr;
};

/// Lists must have semaphores and values. For the rest see include/halyard/stream_interop.h.
Status ImportEvent(StreamDevice& device, NativeEvent event, hal_semaphore_list_t signals);
Status ExportEvent(StreamDevice& device, hal_semaphore_list_t waits, NativeEvent event);
/// An operation whose `waits` and `signals` are those of a queue operation.
Status SubmitOnStream(StreamDevice& device, NativeStream stream, const hal_queue_operation_t& operation);
/// Submits only waits and signals.
Status JoinStream(StreamDevice& device, NativeStream stream, hal_semaphore_list_t waits, hal_semaphore_list_t signals);

/// Until EndStream(), the operations that this thread submits to the device are put into `stream`.
Status BeginStream(StreamDevice& device, NativeStream stream);
Status EndStream(StreamDevice& device);
/// Whether this thread has begun a stream of the device: one read of a thread-local pointer.
bool HasBegunStream(const StreamDevice& device, NativeStream* out_stream);

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_DEVICE_EXTERNAL_STREAMS_H_
