// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/hip_library.h"

#include "stream/native/vendor_results.h"

namespace halyard::hip {

Status HipLibrary::Load() {
#if defined(_WIN32)
  static constexpr const char* kFiles[] = {"amdhip64_7.dll", "amdhip64_6.dll"};
#else
  static constexpr const char* kFiles[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                           "libamdhip64.so"};
#endif
  HAL_TRY(file_.Open(kWhat, "HALYARD_HIP_LIBRARY", kFiles));
  FindFunctions();
  HAL_TRY(CheckVersion());
  HAL_TRY(CheckFunctions());
  if (const Failure reason(HALYARD_HIP(*this, hipInit, (0))); reason) {
    return Fail(HAL_STATUS_UNAVAILABLE, "'%s' (HIP %d.%d) does not work here: %s", path().c_str(), version_ / 10000000,
                version_ / 100000 % 100, reason.message().data());
  }
  return kOk;
}

// By name alone: no signature has changed, and hipGetProcAddress() fails where there is no device.
void HipLibrary::FindFunctions() {
#define HALYARD_HIP_FIND(name, signature) name = reinterpret_cast<PFN_##name>(file_.Find(#name));
  HALYARD_HIP_FUNCTIONS(HALYARD_HIP_FIND)
#undef HALYARD_HIP_FIND
}

Status HipLibrary::CheckVersion() {
  const hipError_t result = hipRuntimeGetVersion ? hipRuntimeGetVersion(&version_) : hipErrorUnknown;
  if (hipGetLastError) Ignore(result);
  if (result != hipSuccess) {
    return Fail(HAL_STATUS_UNAVAILABLE, "'%s' does not tell its version: it is no HIP runtime", path().c_str());
  }
  if (version_ >= kMinimumVersion) return kOk;
  return Fail(HAL_STATUS_UNAVAILABLE, "'%s' is HIP %d.%d; %d.%d (of ROCm 5.7) or newer is needed", path().c_str(),
              version_ / 10000000, version_ / 100000 % 100, kMinimumVersion / 10000000, kMinimumVersion / 100000 % 100);
}

// After the version, since an older library lacks some.
Status HipLibrary::CheckFunctions() const {
  const char* missing = nullptr;
#define HALYARD_HIP_REQUIRE(name, signature) \
  if (!(name) && !missing) missing = #name;
  HALYARD_HIP_TEXT_FUNCTIONS(HALYARD_HIP_REQUIRE)
  HALYARD_HIP_CALL_FUNCTIONS(HALYARD_HIP_REQUIRE)
#undef HALYARD_HIP_REQUIRE
  if (!hipGetDeviceProperties && !hipGetDevicePropertiesR0600) missing = "hipGetDeviceProperties";
  if (!missing) return kOk;
  return Fail(HAL_STATUS_UNAVAILABLE, "'%s' has no %s: HIP 5.7 (of ROCm 5.7) or newer is needed", path().c_str(),
              missing);
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
    case hipErrorInvalidDevicePointer:
      return HAL_STATUS_INVALID_ARGUMENT;
    case hipErrorInvalidConfiguration:
      return HAL_STATUS_OUT_OF_RANGE;
    case hipErrorRuntimeMemory:
      return HAL_STATUS_RESOURCE_EXHAUSTED;
    case hipErrorInvalidDeviceFunction:
      return HAL_STATUS_NOT_FOUND;
    case hipErrorInvalidKernelFile:
    case hipErrorSharedObjectInitFailed:
      return HAL_STATUS_DATA_LOSS;
    case hipErrorInsufficientDriver:
      return HAL_STATUS_UNAVAILABLE;
    case hipErrorInvalidContext:
      return HAL_STATUS_DEVICE_LOST;
    // A workgroup above the kernel's bound answers this too, and nothing is lost. A lost device fails every call.
    case hipErrorLaunchFailure: {
      int device = 0;
      return hipGetDevice(&device) == hipSuccess ? HAL_STATUS_OUT_OF_RANGE : HAL_STATUS_DEVICE_LOST;
    }
    default:
      return stream::StatusOfResult(result);
  }
}

}  // namespace halyard::hip
