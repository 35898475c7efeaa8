// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/call.h"

#include <algorithm>
#include <array>

#include "stream_api/process.h"

namespace halyard::hip::abi {
namespace {

// The same number may mean several things: the first is what a test means by it.
constexpr std::array kResults = {
    std::pair{Error::kSuccess, int{hipSuccess}},
    std::pair{Error::kInvalidValue, int{hipErrorInvalidValue}},
    std::pair{Error::kInvalidGrid, int{hipErrorInvalidConfiguration}},
    std::pair{Error::kOutOfMemory, int{hipErrorOutOfMemory}},
    std::pair{Error::kNotInitialized, int{hipErrorNotInitialized}},
    std::pair{Error::kDeinitialized, int{hipErrorDeinitialized}},
    std::pair{Error::kNoDevice, int{hipErrorNoDevice}},
    std::pair{Error::kInvalidDevice, int{hipErrorInvalidDevice}},
    std::pair{Error::kInvalidImage, int{hipErrorInvalidImage}},
    std::pair{Error::kNoHostCode, int{hipErrorNoBinaryForGpu}},
    std::pair{Error::kInvalidContext, int{hipErrorInvalidContext}},
    std::pair{Error::kContextDestroyed, int{hipErrorContextIsDestroyed}},
    std::pair{Error::kInvalidHandle, int{hipErrorInvalidHandle}},
    std::pair{Error::kNotFound, int{hipErrorNotFound}},
    std::pair{Error::kNotReady, int{hipErrorNotReady}},
    std::pair{Error::kNotSupported, int{hipErrorNotSupported}},
    std::pair{Error::kNotPermitted, int{hipErrorNotSupported}},
    std::pair{Error::kCaptureForbids, int{hipErrorStreamCaptureUnsupported}},
    std::pair{Error::kCaptureInvalidated, int{hipErrorStreamCaptureInvalidated}},
    std::pair{Error::kCaptureUnmatched, int{hipErrorStreamCaptureUnmatched}},
    std::pair{Error::kCaptureOfOtherThread, int{hipErrorStreamCaptureWrongThread}},
    std::pair{Error::kPeerUnsupported, int{hipErrorPeerAccessUnsupported}},
    std::pair{Error::kPeerAlreadyEnabled, int{hipErrorPeerAccessAlreadyEnabled}},
    std::pair{Error::kAlreadyRegistered, int{hipErrorHostMemoryAlreadyRegistered}},
    std::pair{Error::kNotRegistered, int{hipErrorHostMemoryNotRegistered}},
    std::pair{Error::kIllegalAddress, int{hipErrorIllegalAddress}},
    std::pair{Error::kLaunchFailed, int{hipErrorLaunchFailure}},
    std::pair{Error::kTooManyThreads, int{hipErrorLaunchFailure}},
    std::pair{Error::kLaunchTimeout, int{hipErrorLaunchTimeOut}},
    std::pair{Error::kHardware, int{hipErrorECCNotCorrectable}},
};

// Functions that are refused in the default mode: as with CUDA, and also loading.
constexpr std::array<std::string_view, 20> kUnsafeCalls = {
    "hipEventQuery",
    "hipEventSynchronize",
    "hipGraphInstantiate",
    "hipGraphExecDestroy",
    "hipMalloc",
    "hipFree",
    "hipMallocFromPoolAsync",
    "hipFreeAsync",
    "hipHostMalloc",
    "hipHostFree",
    "hipHostRegister",
    "hipHostUnregister",
    "hipMallocManaged",
    "hipMemPoolCreate",
    "hipMemPoolDestroy",
    "hipMemPoolSetAttribute",
    "hipMemPoolTrimTo",
    "hipModuleLoadData",
    "hipModuleUnload",
    "hipStreamSynchronize",
};

// Each device has one context, which the library makes by itself.
void MakeContexts(Runtime& runtime) {
  for (const auto& device : runtime.devices) {
    if (device->primary != nullptr) continue;
    device->primary = std::make_shared<Context>(*device);
    device->primary->permanent = true;
    runtime.contexts.Add(device->primary);
  }
}

}  // namespace

int Version() { return LibraryVersion(kStandardVersion); }

}  // namespace halyard::hip::abi

namespace halyard::sim {

using namespace hip::abi;  // NOLINT(google-build-using-namespace): what this layer provides is about HIP's names

std::optional<int> VendorResult(std::string_view name) {
#define HALYARD_SIM_RESULT(known, value) \
  if (name == #known) return value;
  HALYARD_hipError_t(HALYARD_SIM_RESULT);
#undef HALYARD_SIM_RESULT
  return std::nullopt;
}

std::span<const std::pair<Error, int>> VendorErrors() { return kResults; }

// What differs from CUDA, as AMD's libraries were seen to do it.
Rules VendorRules() {
  Rules rules;
  const bool before_7 = Version() < kVersion7;
  rules.loss = before_7 ? Rules::Loss::kProcess : Rules::Loss::kAllDevices;
  rules.registrations_replace = before_7;
  rules.graph_launches_overlap = true;
  rules.queries_wait_for_waiters = true;
  rules.frees_wait_for_device = true;
  rules.frees_inside = true;
  rules.host_copies_wait = true;
  rules.fills_unaligned = true;
  rules.most_staged = size_t{4} << 20;
  rules.patch_memory = Runtime::Get().settings.patch_memory;
  rules.most_items = UINT32_MAX;
  rules.most_graph_streams = 4;
  // As 6.4.3 does it. AMD's changes 1068 and 1040 of September 2025 name both; which version has them is not known.
  if (Version() < kVersion7_2) {
    rules.graph_fill_patterns = 2048;
    rules.hardware_queues = 4;
  }
  return rules;
}

std::shared_ptr<Context> CurrentContext() {
  const auto& devices = Runtime::Get().devices;
  if (devices.empty()) return nullptr;
  const auto& stack = ContextStack();
  return stack.empty() ? devices.front()->primary : stack.back()->device.primary;
}

Error CallState(const char*, Requires) {
  Runtime& runtime = Runtime::Get();
  const Lock lock(runtime.mutex);
  const Error error = StartLibrary();
  if (error != Error::kSuccess) return error;
  MakeContexts(runtime);
  return CurrentContext()->lost;
}

// Before 7 no error stays: a launch that failed lost nothing, and a fault ended the process.
bool LosesContext(int result) {
  return Version() >= kVersion7 && (result == hipErrorIllegalAddress || result == hipErrorLaunchFailure);
}

bool IsUnsafeCall(std::string_view name) { return std::ranges::find(kUnsafeCalls, name) != kUnsafeCalls.end(); }

ExtraMarkers VendorExtraMarkers() { return {3, 1, 2}; }

}  // namespace halyard::sim
