// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the results of CUDA and of HIP mean. HIP took most of its numbers from CUDA.
#ifndef HALYARD_STREAM_NATIVE_VENDOR_RESULTS_H_
#define HALYARD_STREAM_NATIVE_VENDOR_RESULTS_H_

#include <utility>

#include "halyard/status.h"

namespace halyard::stream {

/// Every result that both have, by the same number: X(HIP's name, CUDA's name, number, status).
/// tests/abi compares the numbers with both vendors' headers.
#define HALYARD_VENDOR_RESULTS(X)                                                                        \
  X(hipSuccess, CUDA_SUCCESS, 0, OK)                                                                     \
  X(hipErrorInvalidValue, CUDA_ERROR_INVALID_VALUE, 1, INVALID_ARGUMENT)                                 \
  X(hipErrorOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY, 2, RESOURCE_EXHAUSTED)                                \
  X(hipErrorNotInitialized, CUDA_ERROR_NOT_INITIALIZED, 3, UNAVAILABLE)                                  \
  X(hipErrorDeinitialized, CUDA_ERROR_DEINITIALIZED, 4, DEVICE_LOST)                                     \
  X(hipErrorNoDevice, CUDA_ERROR_NO_DEVICE, 100, UNAVAILABLE)                                            \
  X(hipErrorInvalidDevice, CUDA_ERROR_INVALID_DEVICE, 101, INVALID_ARGUMENT)                             \
  X(hipErrorInvalidImage, CUDA_ERROR_INVALID_IMAGE, 200, DATA_LOSS)                                      \
  X(hipErrorNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU, 209, INCOMPATIBLE)                             \
  X(hipErrorECCNotCorrectable, CUDA_ERROR_ECC_UNCORRECTABLE, 214, DEVICE_LOST)                           \
  X(hipErrorPeerAccessUnsupported, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217, INCOMPATIBLE)                \
  X(hipErrorFileNotFound, CUDA_ERROR_FILE_NOT_FOUND, 301, NOT_FOUND)                                     \
  X(hipErrorSharedObjectSymbolNotFound, CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, 302, NOT_FOUND)       \
  X(hipErrorOperatingSystem, CUDA_ERROR_OPERATING_SYSTEM, 304, UNAVAILABLE)                              \
  X(hipErrorInvalidHandle, CUDA_ERROR_INVALID_HANDLE, 400, INVALID_ARGUMENT)                             \
  X(hipErrorNotFound, CUDA_ERROR_NOT_FOUND, 500, NOT_FOUND)                                              \
  X(hipErrorIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS, 700, DEVICE_LOST)                                \
  X(hipErrorLaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701, RESOURCE_EXHAUSTED)           \
  X(hipErrorLaunchTimeOut, CUDA_ERROR_LAUNCH_TIMEOUT, 702, DEVICE_LOST)                                  \
  X(hipErrorContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED, 709, DEVICE_LOST)                       \
  X(hipErrorAssert, CUDA_ERROR_ASSERT, 710, DEVICE_LOST)                                                 \
  X(hipErrorHostMemoryAlreadyRegistered, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712, ALREADY_EXISTS) \
  X(hipErrorLaunchFailure, CUDA_ERROR_LAUNCH_FAILED, 719, DEVICE_LOST)                                   \
  X(hipErrorCooperativeLaunchTooLarge, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720, RESOURCE_EXHAUSTED) \
  X(hipErrorNotSupported, CUDA_ERROR_NOT_SUPPORTED, 801, UNIMPLEMENTED)                                  \
  X(hipErrorStreamCaptureUnsupported, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900, FAILED_PRECONDITION)   \
  X(hipErrorStreamCaptureInvalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901, FAILED_PRECONDITION)   \
  X(hipErrorStreamCaptureMerge, CUDA_ERROR_STREAM_CAPTURE_MERGE, 902, FAILED_PRECONDITION)               \
  X(hipErrorStreamCaptureUnmatched, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903, FAILED_PRECONDITION)       \
  X(hipErrorStreamCaptureUnjoined, CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 904, FAILED_PRECONDITION)         \
  X(hipErrorStreamCaptureIsolation, CUDA_ERROR_STREAM_CAPTURE_ISOLATION, 905, FAILED_PRECONDITION)       \
  X(hipErrorStreamCaptureImplicit, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906, FAILED_PRECONDITION)         \
  X(hipErrorCapturedEvent, CUDA_ERROR_CAPTURED_EVENT, 907, FAILED_PRECONDITION)                          \
  X(hipErrorStreamCaptureWrongThread, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908, FAILED_PRECONDITION)

/// The status of a result of the list, INTERNAL for any other.
constexpr hal_status_t StatusOfResult(int result) {
#define HALYARD_STATUS_OF_RESULT(hip, cuda, number, status) {number, HAL_STATUS_##status},
  constexpr std::pair<int, hal_status_t> kStatuses[] = {HALYARD_VENDOR_RESULTS(HALYARD_STATUS_OF_RESULT)};
#undef HALYARD_STATUS_OF_RESULT
  for (const auto& [number, status] : kStatuses) {
    if (number == result) return status;
  }
  return HAL_STATUS_INTERNAL;
}

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_NATIVE_VENDOR_RESULTS_H_
