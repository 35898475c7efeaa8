// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda/cuda_library.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "base/process_wide.h"
#include "image/shared_object/dynamic_library.h"

namespace halyard::cuda {
namespace {

constexpr const char* kDefaultPath = "libcuda.so.1";
constexpr const char* kPathVariable = "HALYARD_CUDA_LIBRARY";

}  // namespace

Status CudaLibrary::Get(const CudaLibrary** out_library) {
  const CudaLibrary* library = ProcessWide<CudaLibrary>::Find();
  if (!library) {
    auto loaded = std::make_unique<CudaLibrary>();
    if (Status status = loaded->Load(); status != kOk) return status;
    library = &ProcessWide<CudaLibrary>::Keep(std::move(loaded));
  }
  *out_library = library;
  return kOk;
}

Status CudaLibrary::Load() {
  const char* const override_path = std::getenv(kPathVariable);
  path_ = override_path && *override_path ? override_path : kDefaultPath;
  DynamicLibrary file;
  if (file.Open(path_.c_str()) != kOk) {
    const HostString reason(LastErrorMessage());
    return Fail(HAL_STATUS_UNAVAILABLE, "no CUDA driver: %s (%s names another library)", reason.c_str(), kPathVariable);
  }
  const auto find = [](void* context, const char* symbol) {
    return static_cast<DynamicLibrary*>(context)->Find(symbol);
  };
  Status status = FindFunctions(find, &file);
  if (status == kOk) status = Initialise();
  file.Keep();
  return status;
}

// cuGetProcAddress() gives the signature that was asked for by its version, whatever the library has as well.
Status CudaLibrary::FindFunctions(void* (*find)(void* context, const char* symbol), void* context) {
  auto* const get = reinterpret_cast<abi::GetProcAddressFn>(find(context, "cuGetProcAddress_v2"));
  if (!get) {
    return Fail(HAL_STATUS_UNAVAILABLE, "'%s' has no cuGetProcAddress_v2: a driver for CUDA 12.0 or newer is needed",
                path_.c_str());
  }
  const auto resolve = [&](const abi::FunctionInfo& info) -> void* {
    void* function = nullptr;
    if (get(info.name, &function, info.version, 0, nullptr) == abi::Result::kSuccess && function) return function;
    return find(context, info.symbol);
  };
  size_t index = 0;
#define HALYARD_CUDA_RESOLVE(name, base, suffix, version, needed, signature)                                        \
  this->name = reinterpret_cast<abi::name##Fn>(resolve(abi::kFunctions[index]));                                    \
  if (!this->name && abi::kFunctions[index].need == abi::Need::kRequired) {                                         \
    return Fail(HAL_STATUS_UNAVAILABLE, "'%s' has no %s: a driver for CUDA 12.0 or newer is needed", path_.c_str(), \
                abi::kFunctions[index].symbol);                                                                     \
  }                                                                                                                 \
  ++index;
  HALYARD_CUDA_FUNCTIONS(HALYARD_CUDA_RESOLVE)
#undef HALYARD_CUDA_RESOLVE
  return kOk;
}

Status CudaLibrary::Initialise() {
  if (const abi::Result result = Init(0); result != abi::Result::kSuccess) {
    static_cast<void>(Explain("Init", result));
    const HostString reason(LastErrorMessage());
    return Fail(HAL_STATUS_UNAVAILABLE, "'%s' does not work here: %s", path_.c_str(), reason.c_str());
  }
  int version = 0;
  if (Status status = HALYARD_CUDA(*this, DriverGetVersion, (&version)); status != kOk) return status;
  if (version >= abi::kMinimumDriverVersion) return kOk;
  return Fail(HAL_STATUS_UNAVAILABLE, "'%s' is a driver for CUDA %d.%d; %d.%d or newer is needed", path_.c_str(),
              version / 1000, version % 1000 / 10, abi::kMinimumDriverVersion / 1000,
              abi::kMinimumDriverVersion % 1000 / 10);
}

Status CudaLibrary::Explain(const char* call, abi::Result result) const {
  const char* symbol = call;
#define HALYARD_CUDA_SYMBOL(name, base, suffix, version, need, signature) \
  if (std::strcmp(call, #name) == 0) symbol = #base #suffix;
  HALYARD_CUDA_FUNCTIONS(HALYARD_CUDA_SYMBOL)
#undef HALYARD_CUDA_SYMBOL
  const char* name = nullptr;
  const char* text = nullptr;
  if (GetErrorName) static_cast<void>(GetErrorName(result, &name));
  if (GetErrorString) static_cast<void>(GetErrorString(result, &text));
  if (!name) return Fail(StatusOf(result), "%s: error %d", symbol, static_cast<int>(result));
  return Fail(StatusOf(result), "%s: %s (%s)", symbol, name, text ? text : "no text");
}

hal_status_t StatusOf(abi::Result result) {
  using abi::Result;
  switch (result) {
    case Result::kSuccess:
      return HAL_STATUS_OK;
    case Result::kErrorInvalidValue:
    case Result::kErrorInvalidHandle:
    case Result::kErrorInvalidDevice:
      return HAL_STATUS_INVALID_ARGUMENT;
    case Result::kErrorOutOfMemory:
    case Result::kErrorLaunchOutOfResources:
    case Result::kErrorCooperativeLaunchTooLarge:
      return HAL_STATUS_RESOURCE_EXHAUSTED;
    case Result::kErrorNotFound:
    case Result::kErrorFileNotFound:
    case Result::kErrorSharedObjectSymbolNotFound:
      return HAL_STATUS_NOT_FOUND;
    case Result::kErrorHostMemoryAlreadyRegistered:
      return HAL_STATUS_ALREADY_EXISTS;
    case Result::kErrorInvalidImage:
    case Result::kErrorInvalidSource:
      return HAL_STATUS_DATA_LOSS;
    case Result::kErrorInvalidPtx:
    case Result::kErrorJitCompilationDisabled:
      return HAL_STATUS_ABORTED;
    case Result::kErrorNoBinaryForGpu:
    case Result::kErrorUnsupportedPtxVersion:
    case Result::kErrorPeerAccessUnsupported:
      return HAL_STATUS_INCOMPATIBLE;
    case Result::kErrorCapturedEvent:
    case Result::kErrorStreamCaptureUnsupported:
    case Result::kErrorStreamCaptureInvalidated:
    case Result::kErrorStreamCaptureWrongThread:
    case Result::kErrorStreamCaptureImplicit:
    case Result::kErrorStreamCaptureIsolation:
    case Result::kErrorStreamCaptureMerge:
    case Result::kErrorStreamCaptureUnmatched:
    case Result::kErrorStreamCaptureUnjoined:
      return HAL_STATUS_FAILED_PRECONDITION;
    case Result::kErrorNotSupported:
      return HAL_STATUS_UNIMPLEMENTED;
    case Result::kErrorNotPermitted:
      return HAL_STATUS_PERMISSION_DENIED;
    case Result::kErrorNoDevice:
    case Result::kErrorNotInitialized:
    case Result::kErrorStubLibrary:
    case Result::kErrorDeviceUnavailable:
    case Result::kErrorDeviceNotLicensed:
    case Result::kErrorSystemNotReady:
    case Result::kErrorSystemDriverMismatch:
    case Result::kErrorCompatNotSupportedOnDevice:
    case Result::kErrorJitCompilerNotFound:
    case Result::kErrorOperatingSystem:
    case Result::kErrorMpsConnectionFailed:
    case Result::kErrorMpsRpcFailure:
    case Result::kErrorMpsServerNotReady:
    case Result::kErrorMpsMaxClientsReached:
    case Result::kErrorMpsMaxConnectionsReached:
      return HAL_STATUS_UNAVAILABLE;
    // The context does no more work after these, or there is none any more.
    case Result::kErrorDeinitialized:
    case Result::kErrorEccUncorrectable:
    case Result::kErrorNvlinkUncorrectable:
    case Result::kErrorContained:
    case Result::kErrorIllegalAddress:
    case Result::kErrorLaunchTimeout:
    case Result::kErrorContextIsDestroyed:
    case Result::kErrorAssert:
    case Result::kErrorHardwareStackError:
    case Result::kErrorIllegalInstruction:
    case Result::kErrorMisalignedAddress:
    case Result::kErrorInvalidAddressSpace:
    case Result::kErrorInvalidPc:
    case Result::kErrorLaunchFailed:
    case Result::kErrorTensorMemoryLeak:
    case Result::kErrorExternalDevice:
    case Result::kErrorMpsClientTerminated:
      return HAL_STATUS_DEVICE_LOST;
    default:
      return HAL_STATUS_INTERNAL;
  }
}

}  // namespace halyard::cuda
