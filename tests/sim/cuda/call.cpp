// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
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
    std::pair{Error::kSuccess, Result::kSuccess},
    std::pair{Error::kInvalidValue, Result::kErrorInvalidValue},
    std::pair{Error::kOutOfMemory, Result::kErrorOutOfMemory},
    std::pair{Error::kNotInitialized, Result::kErrorNotInitialized},
    std::pair{Error::kDeinitialized, Result::kErrorDeinitialized},
    std::pair{Error::kNoDevice, Result::kErrorNoDevice},
    std::pair{Error::kInvalidDevice, Result::kErrorInvalidDevice},
    std::pair{Error::kInvalidImage, Result::kErrorInvalidImage},
    std::pair{Error::kInvalidSource, Result::kErrorInvalidPtx},
    std::pair{Error::kNoHostCode, Result::kErrorNoBinaryForGpu},
    std::pair{Error::kInvalidContext, Result::kErrorInvalidContext},
    std::pair{Error::kContextDestroyed, Result::kErrorContextIsDestroyed},
    std::pair{Error::kInvalidHandle, Result::kErrorInvalidHandle},
    std::pair{Error::kNotFound, Result::kErrorNotFound},
    std::pair{Error::kNotReady, Result::kErrorNotReady},
    std::pair{Error::kNotPermitted, Result::kErrorNotPermitted},
    std::pair{Error::kNotSupported, Result::kErrorNotSupported},
    std::pair{Error::kCaptureForbids, Result::kErrorStreamCaptureUnsupported},
    std::pair{Error::kCaptureInvalidated, Result::kErrorStreamCaptureInvalidated},
    std::pair{Error::kCaptureUnmatched, Result::kErrorStreamCaptureUnmatched},
    std::pair{Error::kCaptureOfOtherThread, Result::kErrorStreamCaptureWrongThread},
    std::pair{Error::kPeerUnsupported, Result::kErrorPeerAccessUnsupported},
    std::pair{Error::kPeerAlreadyEnabled, Result::kErrorPeerAccessAlreadyEnabled},
    std::pair{Error::kPeerNotEnabled, Result::kErrorPeerAccessNotEnabled},
    std::pair{Error::kAlreadyRegistered, Result::kErrorHostMemoryAlreadyRegistered},
    std::pair{Error::kNotRegistered, Result::kErrorHostMemoryNotRegistered},
    std::pair{Error::kIllegalAddress, Result::kErrorIllegalAddress},
    std::pair{Error::kLaunchFailed, Result::kErrorLaunchFailed},
    std::pair{Error::kLaunchTimeout, Result::kErrorLaunchTimeout},
    std::pair{Error::kHardware, Result::kErrorEccUncorrectable},
};

// The current context, if it can be used. Takes no lock for the stack, which is the thread's own.
Result ContextState(const char* name) {
  const auto context = CurrentContext();
  if (context == nullptr) {
    Runtime::Get().reports.Add(sim::Rule::kNoContext, std::string(name) + " was called without a current context");
    return Result::kErrorInvalidContext;
  }
  const Lock lock(Runtime::Get().mutex);
  if (context->destroyed) return Result::kErrorContextIsDestroyed;
  return ToResult(context->lost);
}

// Whether a context does no more work after a result.
bool LosesContext(Result result) {
  switch (result) {
    case Result::kErrorIllegalAddress:
    case Result::kErrorLaunchFailed:
    case Result::kErrorLaunchTimeout:
    case Result::kErrorEccUncorrectable:
      return true;
    default:
      return false;
  }
}

// A call that a test wants to fail. Errors that stay are found by whichever call comes next, so that they come with the
// loss of what is current.
Result Injected(Result result) {
  const auto context = CurrentContext();
  if (context != nullptr && LosesContext(result)) {
    const Lock lock(Runtime::Get().mutex);
    context->Lose(sim::FromVendor(static_cast<int>(result)));
  }
  return result;
}

}  // namespace

Result ToResult(Error error) {
  for (const auto& [ours, theirs] : kResults) {
    if (ours == error) return theirs;
  }
  return Result::kErrorUnknown;
}

std::shared_ptr<sim::Context> CurrentContext() {
  const auto& stack = sim::ContextStack();
  return stack.empty() ? nullptr : stack.back();
}

std::optional<Result> Refusal(const char* name, Requires needed) {
  Runtime& runtime = Runtime::Get();
  const std::optional<int> fault = runtime.faults.Count(name);
  if (sim::InHostFunction()) {
    runtime.reports.Add(sim::Rule::kCallInHostFunction, std::string(name) + " was called inside a host function");
    return Result::kErrorNotPermitted;
  }
  if (fault) return Injected(static_cast<Result>(*fault));
  if (needed == Requires::kNothing) return std::nullopt;
  {
    const Lock lock(runtime.mutex);
    if (runtime.shut_down) return Result::kErrorDeinitialized;
    if (!runtime.started()) return Result::kErrorNotInitialized;
  }
  const Result state = needed == Requires::kContext ? ContextState(name) : Result::kSuccess;
  if (state != Result::kSuccess) return state;
  return CaptureForbids(name) ? std::optional(Result::kErrorStreamCaptureUnsupported) : std::nullopt;
}

std::shared_ptr<sim::Stream> FindAnyStream(Stream handle) {
  return handle == nullptr ? sim::DefaultStream(CurrentContext()) : Runtime::Get().streams.Find(handle);
}
std::shared_ptr<sim::Stream> FindStream(Stream handle) {
  auto found = FindAnyStream(handle);
  if (found == nullptr || !found->capture.has_value()) return found;
  Runtime::Get().reports.Add(sim::Rule::kCapturedWork,
                             "a stream that is being captured was used: none of it is recorded");
  return nullptr;
}
std::shared_ptr<sim::Event> FindEvent(Event handle) { return Runtime::Get().events.Find(handle); }
std::shared_ptr<sim::Context> FindContext(Context handle) { return Runtime::Get().contexts.Find(handle); }

std::shared_ptr<sim::Context> ContextOrCurrent(Context handle) {
  return handle == nullptr ? CurrentContext() : FindContext(handle);
}

sim::Device* FindDevice(Device ordinal) {
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
