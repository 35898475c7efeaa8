// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and events.
#include "hip/call.h"
#include "hip/entry_points.h"
#include "stream_api/captures.h"
#include "stream_api/streams.h"

namespace halyard::hip::abi {

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned int flags) {
  return Call(__func__, [&] { return CreateStream(stream, flags); });
}

hipError_t hipStreamDestroy(hipStream_t stream) {
  return Call(__func__, [&] { return DestroyStream(stream); });
}

hipError_t hipStreamSynchronize(hipStream_t stream) {
  return Call(__func__, [&](Lock& lock) { return SynchronizeStream(stream, lock); });
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags) {
  return Call(__func__, [&] { return StreamWaitEvent(stream, event, flags); });
}

hipError_t hipStreamWriteValue64(hipStream_t stream, void* address, uint64_t value, unsigned int) {
  return Call(__func__, [&] { return StreamWriteValue(stream, address, value); });
}

hipError_t hipStreamWaitValue64(hipStream_t stream, void* address, uint64_t value, unsigned int flags, uint64_t mask) {
  return Call(__func__, [&] {
    if (mask != UINT64_MAX) return Error::kNotSupported;
    return StreamWaitValue(stream, address, value, static_cast<Comparison>(flags));
  });
}

hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device) {
  return Call(__func__, [&] {
    const auto found = FindAnyStream(stream);
    if (found == nullptr) return Error::kInvalidHandle;
    if (device == nullptr) return Error::kInvalidValue;
    *device = found->context()->device.ordinal;
    return Error::kSuccess;
  });
}

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status) {
  return Call(__func__, [&] { return CaptureStateOf(stream, status); });
}

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  return Call(__func__, [&] { return BeginCapture(stream, static_cast<int>(mode)); });
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  return Call(__func__, [&] { return EndCapture(stream, graph); });
}

hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  return Call(__func__, [&] { return ExchangeCaptureMode(mode); });
}

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* user_data) {
  return Call(__func__, [&] { return StreamHostFunction(stream, function, user_data); });
}

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned int flags) {
  return Call(__func__, [&] { return CreateEvent(event, (flags & hipEventDisableTiming) == 0); });
}

hipError_t hipEventDestroy(hipEvent_t event) {
  return Call(__func__, [&] { return DestroyEvent(event); });
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return Call(__func__, [&] { return StreamRecordEvent(event, stream); });
}

hipError_t hipEventQuery(hipEvent_t event) {
  return Call(__func__, [&](Lock& lock) { return QueryEventOf(event, lock); });
}

hipError_t hipEventSynchronize(hipEvent_t event) {
  return Call(__func__, [&](Lock& lock) { return SynchronizeEvent(event, lock); });
}

hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t end) {
  return Call(__func__, [&] { return EventElapsedTime(milliseconds, start, end); });
}

}  // namespace halyard::hip::abi
