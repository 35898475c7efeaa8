// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda/call.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "cuda/capture.h"
#include "cuda/device_attributes.h"
#include "engine/vendor.h"

namespace halyard::cuda::abi {
namespace {

constexpr std::array kResults = {
    std::pair{Error::kSuccess, CUDA_SUCCESS},
    std::pair{Error::kInvalidValue, CUDA_ERROR_INVALID_VALUE},
    std::pair{Error::kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY},
    std::pair{Error::kNotInitialized, CUDA_ERROR_NOT_INITIALIZED},
    std::pair{Error::kDeinitialized, CUDA_ERROR_DEINITIALIZED},
    std::pair{Error::kNoDevice, CUDA_ERROR_NO_DEVICE},
    std::pair{Error::kInvalidDevice, CUDA_ERROR_INVALID_DEVICE},
    std::pair{Error::kInvalidImage, CUDA_ERROR_INVALID_IMAGE},
    std::pair{Error::kInvalidSource, CUDA_ERROR_INVALID_PTX},
    std::pair{Error::kNoHostCode, CUDA_ERROR_NO_BINARY_FOR_GPU},
    std::pair{Error::kInvalidContext, CUDA_ERROR_INVALID_CONTEXT},
    std::pair{Error::kContextDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED},
    std::pair{Error::kInvalidHandle, CUDA_ERROR_INVALID_HANDLE},
    std::pair{Error::kNotFound, CUDA_ERROR_NOT_FOUND},
    std::pair{Error::kNotReady, CUDA_ERROR_NOT_READY},
    std::pair{Error::kNotPermitted, CUDA_ERROR_NOT_PERMITTED},
    std::pair{Error::kNotSupported, CUDA_ERROR_NOT_SUPPORTED},
    std::pair{Error::kCaptureForbids, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED},
    std::pair{Error::kCaptureInvalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED},
    std::pair{Error::kCaptureUnmatched, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED},
    std::pair{Error::kCaptureOfOtherThread, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD},
    std::pair{Error::kPeerUnsupported, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED},
    std::pair{Error::kPeerAlreadyEnabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED},
    std::pair{Error::kPeerNotEnabled, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED},
    std::pair{Error::kAlreadyRegistered, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED},
    std::pair{Error::kNotRegistered, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED},
    std::pair{Error::kIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS},
    std::pair{Error::kLaunchFailed, CUDA_ERROR_LAUNCH_FAILED},
    std::pair{Error::kLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT},
    std::pair{Error::kHardware, CUDA_ERROR_ECC_UNCORRECTABLE},
};

// The current context, if it can be used. Takes no lock for the stack, which is the thread's own.
CUresult ContextState(const char* name) {
  const auto context = CurrentContext();
  if (context == nullptr) {
    Runtime::Get().reports.Add(sim::Rule::kNoContext, std::string(name) + " was called without a current context");
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  const Lock lock(Runtime::Get().mutex);
  if (context->destroyed) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  return ToResult(context->lost);
}

// Whether a context does no more work after a result.
bool LosesContext(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
      return true;
    default:
      return false;
  }
}

// A call that a test wants to fail. Errors that stay are found by whichever call comes next, so that they come with the
// loss of what is current.
CUresult Injected(CUresult result) {
  const auto context = CurrentContext();
  if (context != nullptr && LosesContext(result)) {
    const Lock lock(Runtime::Get().mutex);
    context->Lose(sim::FromVendor(static_cast<int>(result)));
  }
  return result;
}

}  // namespace

CUresult ToResult(Error error) {
  for (const auto& [ours, theirs] : kResults) {
    if (ours == error) return theirs;
  }
  return CUDA_ERROR_UNKNOWN;
}

std::shared_ptr<sim::Context> CurrentContext() {
  const auto& stack = sim::ContextStack();
  return stack.empty() ? nullptr : stack.back();
}

std::optional<CUresult> Refusal(const char* name, Requires needed) {
  Runtime& runtime = Runtime::Get();
  const std::optional<int> fault = runtime.faults.Count(name);
  if (sim::InHostFunction()) {
    runtime.reports.Add(sim::Rule::kCallInHostFunction, std::string(name) + " was called inside a host function");
    return CUDA_ERROR_NOT_PERMITTED;
  }
  if (fault) return Injected(static_cast<CUresult>(*fault));
  if (needed == Requires::kNothing) return std::nullopt;
  {
    const Lock lock(runtime.mutex);
    if (runtime.shut_down) return CUDA_ERROR_DEINITIALIZED;
    if (!runtime.started()) return CUDA_ERROR_NOT_INITIALIZED;
  }
  const CUresult state = needed == Requires::kContext ? ContextState(name) : CUDA_SUCCESS;
  if (state != CUDA_SUCCESS) return state;
  return CaptureForbids(name) ? std::optional(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) : std::nullopt;
}

std::shared_ptr<sim::Stream> FindAnyStream(CUstream handle) {
  return handle == nullptr ? sim::DefaultStream(CurrentContext()) : Runtime::Get().streams.Find(handle);
}
std::shared_ptr<sim::Stream> FindStream(CUstream handle) {
  auto found = FindAnyStream(handle);
  if (found == nullptr || !found->capture.has_value()) return found;
  Runtime::Get().reports.Add(sim::Rule::kCapturedWork,
                             "a stream that is being captured was used: none of it is recorded");
  return nullptr;
}
std::shared_ptr<sim::Event> FindEvent(CUevent handle) { return Runtime::Get().events.Find(handle); }
std::shared_ptr<sim::Context> FindContext(CUcontext handle) { return Runtime::Get().contexts.Find(handle); }

std::shared_ptr<sim::Context> ContextOrCurrent(CUcontext handle) {
  return handle == nullptr ? CurrentContext() : FindContext(handle);
}

sim::Device* FindDevice(CUdevice ordinal) {
  const auto& devices = Runtime::Get().devices;
  const bool there = ordinal >= 0 && static_cast<size_t>(ordinal) < devices.size();
  return there ? devices[static_cast<size_t>(ordinal)].get() : nullptr;
}

}  // namespace halyard::cuda::abi

namespace halyard::sim {

int ToVendor(Error error) { return static_cast<int>(cuda::abi::ToResult(error)); }

Error FromVendor(int result) {
  for (const auto& [ours, theirs] : cuda::abi::kResults) {
    if (static_cast<int>(theirs) == result) return ours;
  }
  return Error::kHardware;
}

}  // namespace halyard::sim
