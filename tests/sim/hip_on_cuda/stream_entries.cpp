// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and events, whose handles are CUDA's. The flags have the same numbers.
#include "hip/entry_points.h"
#include "hip_on_cuda/call.h"

namespace halyard::hip::abi {

static_assert(hipStreamNonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(hipEventBlockingSync == CU_EVENT_BLOCKING_SYNC && hipEventDisableTiming == CU_EVENT_DISABLE_TIMING);
static_assert(hipStreamCaptureModeRelaxed == unsigned{CU_STREAM_CAPTURE_MODE_RELAXED});
static_assert(hipStreamCaptureStatusActive == unsigned{CU_STREAM_CAPTURE_STATUS_ACTIVE});

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned int flags) {
  const hipError_t result = Forward(&CudaFunctions::cuStreamCreate, stream, flags);
  if (result == hipSuccess) CountStreams(1);
  return result;
}

hipError_t hipStreamDestroy(hipStream_t stream) {
  const hipError_t result = Forward(&CudaFunctions::cuStreamDestroy_v2, stream);
  if (result == hipSuccess) CountStreams(-1);
  return result;
}

hipError_t hipStreamSynchronize(hipStream_t stream) { return Forward(&CudaFunctions::cuStreamSynchronize, stream); }

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags) {
  return Forward(&CudaFunctions::cuStreamWaitEvent, stream, event, flags);
}

hipError_t hipStreamWriteValue64(hipStream_t stream, void* address, uint64_t value, unsigned int flags) {
  return Forward(&CudaFunctions::cuStreamWriteValue64_v2, stream, address, value, flags);
}

// The stream's context says it, which may be another than the thread's.
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device) {
  return Call([&](const CudaFunctions& cuda) {
    CUcontext context = nullptr;
    CUresult result = cuda.cuStreamGetCtx(ToVendor<CUstream>(stream), &context);
    if (result == CUDA_SUCCESS) result = cuda.cuCtxPushCurrent_v2(context);
    if (result != CUDA_SUCCESS) return result;
    result = cuda.cuCtxGetDevice(device);
    static_cast<void>(cuda.cuCtxPopCurrent_v2(&context));
    return result;
  });
}

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status) {
  return Forward(&CudaFunctions::cuStreamIsCapturing, stream, status);
}

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  return Forward(&CudaFunctions::cuStreamBeginCapture_v2, stream, mode);
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  return Forward(&CudaFunctions::cuStreamEndCapture, stream, graph);
}

hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  return CallLibrary([&](const CudaFunctions& cuda) {
    return cuda.cuThreadExchangeStreamCaptureMode(ToVendor<CUstreamCaptureMode*>(mode));
  });
}

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* user_data) {
  return Forward(&CudaFunctions::cuLaunchHostFunc, stream, function, user_data);
}

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned int flags) {
  return Forward(&CudaFunctions::cuEventCreate, event, flags);
}

hipError_t hipEventDestroy(hipEvent_t event) { return Forward(&CudaFunctions::cuEventDestroy_v2, event); }

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return Forward(&CudaFunctions::cuEventRecord, event, stream);
}

hipError_t hipEventQuery(hipEvent_t event) { return Forward(&CudaFunctions::cuEventQuery, event); }

hipError_t hipEventSynchronize(hipEvent_t event) { return Forward(&CudaFunctions::cuEventSynchronize, event); }

hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t end) {
  return Forward(&CudaFunctions::cuEventElapsedTime, milliseconds, start, end);
}

}  // namespace halyard::hip::abi
