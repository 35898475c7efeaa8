// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/hip_library.h"

#include <memory>
#include <utility>

#include "base/process_wide.h"
#include "submission/exit_drain.h"

namespace halyard::hip {

Status HipLibrary::Get(const HipLibrary** out_library) {
  const HipLibrary* library = ProcessWide<HipLibrary>::Find();
  if (!library) {
    auto loaded = std::make_unique<HipLibrary>();
    HAL_TRY(loaded->Load());
    library = &ProcessWide<HipLibrary>::Keep(std::move(loaded));
  }
  *out_library = library;
  return kOk;
}

Status HipLibrary::Load() {
  static constexpr const char* kFiles[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                           "libamdhip64.so"};
  HAL_TRY(file_.Open("HIP runtime", "HALYARD_HIP_LIBRARY", kFiles));
  HAL_TRY(CheckVersion());
  HAL_TRY(FindFunctions());
  if (const Status status = HALYARD_HIP(*this, hipInit, (0)); status != kOk) {
    const HostString reason(LastErrorMessage());
    return Fail(HAL_STATUS_UNAVAILABLE, "'%s' (ROCm %d.%d) does not work here: %s", path().c_str(), version_ / 10000000,
                version_ / 100000 % 100, reason.c_str());
  }
  DrainsAtExit::ComeBeforeEarlierHandlers();
  return kOk;
}

// Before the functions are looked for: an older library lacks some of them.
Status HipLibrary::CheckVersion() {
  const auto get = reinterpret_cast<PFN_hipRuntimeGetVersion>(file_.Find("hipRuntimeGetVersion"));
  if (!get || get(&version_) != hipSuccess) {
    return Fail(HAL_STATUS_UNAVAILABLE, "'%s' does not tell its version: it is no HIP runtime", path().c_str());
  }
  if (version_ >= kMinimumVersion) return kOk;
  return Fail(HAL_STATUS_UNAVAILABLE, "'%s' is of ROCm %d.%d; %d.%d or newer is needed", path().c_str(),
              version_ / 10000000, version_ / 100000 % 100, kMinimumVersion / 10000000, kMinimumVersion / 100000 % 100);
}

// By name alone: no signature has changed, and hipGetProcAddress() fails where there is no device.
Status HipLibrary::FindFunctions() {
// NOLINTBEGIN(bugprone-macro-parentheses): names
#define HALYARD_HIP_RESOLVE(function, need, result, signature)                                                     \
  function = reinterpret_cast<PFN_##function>(file_.Find(#function));                                              \
  if (!function && Need::need == Need::kRequired) {                                                                \
    return Fail(HAL_STATUS_UNAVAILABLE, "'%s' has no %s: ROCm 5.7 or newer is needed", path().c_str(), #function); \
  }
  // NOLINTEND(bugprone-macro-parentheses)
  HALYARD_HIP_FUNCTIONS(HALYARD_HIP_RESOLVE)
#undef HALYARD_HIP_RESOLVE
  if (hipGetDeviceProperties || hipGetDevicePropertiesR0600) return kOk;
  return Fail(HAL_STATUS_UNAVAILABLE, "'%s' has no hipGetDeviceProperties", path().c_str());
}

Status HipLibrary::Explain(const char* call, hipError_t result) const {
  const hal_status_t status = StatusOf(result);
  const Status failed =
      FailVendorCall(status, call, hipGetErrorName(result), hipGetErrorString(result), static_cast<int>(result));
  Ignore(result);
  return failed;
}

hal_status_t HipLibrary::StatusOf(hipError_t result) const {
  switch (result) {
    case hipSuccess:
      return HAL_STATUS_OK;
    case hipErrorInvalidValue:
    case hipErrorInvalidDevicePointer:
    case hipErrorInvalidDevice:
    case hipErrorInvalidHandle:
      return HAL_STATUS_INVALID_ARGUMENT;
    case hipErrorInvalidConfiguration:
      return HAL_STATUS_OUT_OF_RANGE;
    case hipErrorOutOfMemory:
    case hipErrorLaunchOutOfResources:
    case hipErrorCooperativeLaunchTooLarge:
    case hipErrorRuntimeMemory:
      return HAL_STATUS_RESOURCE_EXHAUSTED;
    case hipErrorNotFound:
    case hipErrorFileNotFound:
    case hipErrorSharedObjectSymbolNotFound:
    case hipErrorInvalidDeviceFunction:
      return HAL_STATUS_NOT_FOUND;
    case hipErrorHostMemoryAlreadyRegistered:
      return HAL_STATUS_ALREADY_EXISTS;
    case hipErrorInvalidImage:
    case hipErrorInvalidKernelFile:
    case hipErrorSharedObjectInitFailed:
      return HAL_STATUS_DATA_LOSS;
    case hipErrorNoBinaryForGpu:
    case hipErrorPeerAccessUnsupported:
      return HAL_STATUS_INCOMPATIBLE;
    case hipErrorStreamCaptureUnsupported:
    case hipErrorStreamCaptureInvalidated:
    case hipErrorStreamCaptureMerge:
    case hipErrorStreamCaptureUnmatched:
    case hipErrorStreamCaptureUnjoined:
    case hipErrorStreamCaptureIsolation:
    case hipErrorStreamCaptureImplicit:
    case hipErrorCapturedEvent:
    case hipErrorStreamCaptureWrongThread:
      return HAL_STATUS_FAILED_PRECONDITION;
    case hipErrorNotSupported:
      return HAL_STATUS_UNIMPLEMENTED;
    case hipErrorNoDevice:
    case hipErrorNotInitialized:
    case hipErrorInsufficientDriver:
    case hipErrorOperatingSystem:
      return HAL_STATUS_UNAVAILABLE;
    // A workgroup above the kernel's bound answers this too, and nothing is lost. A lost device fails every call.
    case hipErrorLaunchFailure: {
      int device = 0;
      return hipGetDevice(&device) == hipSuccess ? HAL_STATUS_OUT_OF_RANGE : HAL_STATUS_DEVICE_LOST;
    }
    case hipErrorDeinitialized:
    case hipErrorInvalidContext:
    case hipErrorECCNotCorrectable:
    case hipErrorIllegalAddress:
    case hipErrorLaunchTimeOut:
    case hipErrorContextIsDestroyed:
    case hipErrorAssert:
      return HAL_STATUS_DEVICE_LOST;
    default:
      return HAL_STATUS_INTERNAL;
  }
}

}  // namespace halyard::hip
