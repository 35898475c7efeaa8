// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library itself: initialisation, version, errors.
#include <atomic>
#include <utility>

#include "hip/entry_points.h"
#include "hip_on_cuda/call.h"
#include "stream/native/vendor_results.h"

namespace halyard::hip::abi {
namespace {

constinit std::atomic<hipError_t> lost_by{hipSuccess};

// Most numbers are the same. This has the others, and what only one of the two knows.
hipError_t NameOf(CUresult result) {
  switch (result) {
    case CUDA_ERROR_STUB_LIBRARY:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return hipErrorNoDevice;
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
      return hipErrorNoBinaryForGpu;
    case CUDA_ERROR_NOT_PERMITTED:
      return hipErrorNotSupported;
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTAINED:
      return hipErrorECCNotCorrectable;
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
      return hipErrorIllegalAddress;
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_INVALID_PC:
      return hipErrorLaunchFailure;
    default:
      break;
  }
#define HALYARD_SIM_KNOWN(known, value) \
  if (static_cast<int>(result) == (value)) return known;
  HALYARD_hipError_t(HALYARD_SIM_KNOWN);
#undef HALYARD_SIM_KNOWN
  // Those that the driver has no name for, either.
  return stream::StatusOfResult(result) == HAL_STATUS_INTERNAL ? hipErrorUnknown : static_cast<hipError_t>(result);
}

bool EndsContext(hipError_t error) {
  return error == hipErrorIllegalAddress || error == hipErrorLaunchFailure || error == hipErrorLaunchTimeOut ||
         error == hipErrorAssert || error == hipErrorECCNotCorrectable || error == hipErrorContextIsDestroyed;
}

}  // namespace

hipError_t FailureOf(CUresult result) {
  const hipError_t failure = NameOf(result);
  hipError_t none = hipSuccess;
  if (EndsContext(failure)) lost_by.compare_exchange_strong(none, failure, std::memory_order_relaxed);
  return failure;
}

hipError_t LostBy() { return lost_by.load(std::memory_order_relaxed); }

int Version() { return kStandardVersion; }

hipError_t hipInit(unsigned int flags) {
  return CallLibrary([&](const CudaFunctions&) { return flags == 0 ? hipSuccess : hipErrorInvalidValue; });
}

hipError_t hipRuntimeGetVersion(int* version) {
  if (version == nullptr) return Noted(hipErrorInvalidValue);
  *version = Version();
  return hipSuccess;
}

hipError_t hipGetLastError() { return std::exchange(LastError(), hipSuccess); }

}  // namespace halyard::hip::abi
