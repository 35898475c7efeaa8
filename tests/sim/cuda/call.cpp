// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda/call.h"

#include <array>
#include <string>

#include "cuda/unsafe_calls.h"

namespace halyard::cuda::abi {
namespace {

constexpr std::array kResults = {
    std::pair{Error::kSuccess, int{CUDA_SUCCESS}},
    std::pair{Error::kInvalidValue, int{CUDA_ERROR_INVALID_VALUE}},
    std::pair{Error::kInvalidGrid, int{CUDA_ERROR_INVALID_VALUE}},
    std::pair{Error::kTooManyThreads, int{CUDA_ERROR_INVALID_VALUE}},
    std::pair{Error::kOutOfMemory, int{CUDA_ERROR_OUT_OF_MEMORY}},
    std::pair{Error::kNotInitialized, int{CUDA_ERROR_NOT_INITIALIZED}},
    std::pair{Error::kDeinitialized, int{CUDA_ERROR_DEINITIALIZED}},
    std::pair{Error::kNoDevice, int{CUDA_ERROR_NO_DEVICE}},
    std::pair{Error::kInvalidDevice, int{CUDA_ERROR_INVALID_DEVICE}},
    std::pair{Error::kInvalidImage, int{CUDA_ERROR_INVALID_IMAGE}},
    std::pair{Error::kInvalidSource, int{CUDA_ERROR_INVALID_PTX}},
    std::pair{Error::kNoHostCode, int{CUDA_ERROR_NO_BINARY_FOR_GPU}},
    std::pair{Error::kInvalidContext, int{CUDA_ERROR_INVALID_CONTEXT}},
    std::pair{Error::kContextDestroyed, int{CUDA_ERROR_CONTEXT_IS_DESTROYED}},
    std::pair{Error::kInvalidHandle, int{CUDA_ERROR_INVALID_HANDLE}},
    std::pair{Error::kNotFound, int{CUDA_ERROR_NOT_FOUND}},
    std::pair{Error::kNotReady, int{CUDA_ERROR_NOT_READY}},
    std::pair{Error::kNotPermitted, int{CUDA_ERROR_NOT_PERMITTED}},
    std::pair{Error::kNotSupported, int{CUDA_ERROR_NOT_SUPPORTED}},
    std::pair{Error::kCaptureForbids, int{CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED}},
    std::pair{Error::kCaptureInvalidated, int{CUDA_ERROR_STREAM_CAPTURE_INVALIDATED}},
    std::pair{Error::kCaptureUnmatched, int{CUDA_ERROR_STREAM_CAPTURE_UNMATCHED}},
    std::pair{Error::kCaptureOfOtherThread, int{CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD}},
    std::pair{Error::kPeerUnsupported, int{CUDA_ERROR_PEER_ACCESS_UNSUPPORTED}},
    std::pair{Error::kPeerAlreadyEnabled, int{CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED}},
    std::pair{Error::kPeerNotEnabled, int{CUDA_ERROR_PEER_ACCESS_NOT_ENABLED}},
    std::pair{Error::kAlreadyRegistered, int{CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED}},
    std::pair{Error::kNotRegistered, int{CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED}},
    std::pair{Error::kIllegalAddress, int{CUDA_ERROR_ILLEGAL_ADDRESS}},
    std::pair{Error::kLaunchFailed, int{CUDA_ERROR_LAUNCH_FAILED}},
    std::pair{Error::kLaunchTimeout, int{CUDA_ERROR_LAUNCH_TIMEOUT}},
    std::pair{Error::kHardware, int{CUDA_ERROR_ECC_UNCORRECTABLE}},
};

// Whether the current context can be used.
Error ContextState(const char* name) {
  const auto context = CurrentContext();
  if (context == nullptr) {
    Runtime::Get().reports.Add(Rule::kNoContext, std::string(name) + " was called without a current context");
    return Error::kInvalidContext;
  }
  return context->destroyed ? Error::kContextDestroyed : context->lost;
}

}  // namespace

std::shared_ptr<Context> FindContext(CUcontext handle) { return Runtime::Get().contexts.Find(handle); }

std::shared_ptr<Context> ContextOrCurrent(CUcontext handle) {
  return handle == nullptr ? CurrentContext() : FindContext(handle);
}

}  // namespace halyard::cuda::abi

namespace halyard::sim {

using namespace cuda::abi;  // NOLINT(google-build-using-namespace): what this layer provides is about CUDA's names

std::span<const std::pair<Error, int>> VendorErrors() { return kResults; }

std::optional<int> VendorResult(std::string_view name) {
#define HALYARD_SIM_RESULT(known, value) \
  if (name == #known) return value;
  HALYARD_CUresult(HALYARD_SIM_RESULT, HALYARD_SIM_RESULT);
#undef HALYARD_SIM_RESULT
  return std::nullopt;
}

Rules VendorRules() { return {}; }

std::shared_ptr<Context> CurrentContext() {
  const auto& stack = ContextStack();
  return stack.empty() ? nullptr : stack.back();
}

Error CallState(const char* name, Requires needed) {
  Runtime& runtime = Runtime::Get();
  const Lock lock(runtime.mutex);
  if (runtime.shut_down) return Error::kDeinitialized;
  if (!runtime.started()) return Error::kNotInitialized;
  return needed == Requires::kContext ? ContextState(name) : Error::kSuccess;
}

bool LosesContext(int result) {
  switch (static_cast<CUresult>(result)) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
      return true;
    default:
      return false;
  }
}

bool IsUnsafeCall(std::string_view name) { return cuda::IsUnsafeCall(name); }

ExtraMarkers VendorExtraMarkers() {
  return {CU_LAUNCH_PARAM_END_AS_INT, CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT, CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT};
}

}  // namespace halyard::sim
