// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metal, for the fault injector. Calls are named as the selectors of their methods.
#include <cstdlib>

#include "cts/handles.h"
#include "fault_injection/scenarios/metal_scenarios.h"
#include "fault_injection/vendor.h"
#include "halyard/metal_interop.h"
#include "metal/device/metal_driver.h"
#include "stream_drivers/vendor.h"

namespace halyard {
namespace fault_injection {
namespace {

constexpr std::string_view kCommandBuffer = "commandBufferWithUnretainedReferences";

// Those that return an object, or whether they did what they should, and a listener that misses its value. Nothing else
// can fail.
constexpr const char* kFunctions[] = {
    "newCommandQueueWithDescriptor:",
    "newCommandQueueWithMaxCommandBufferCount:",
    "newLogStateWithDescriptor:error:",
    "newFence",
    "newSharedEvent",
    "newResidencySetWithDescriptor:error:",
    "newBufferWithLength:options:",
    "newBufferWithBytesNoCopy:length:options:deallocator:",
    "commandBufferWithUnretainedReferences",
    "computeCommandEncoderWithDispatchType:",
    "computeCommandEncoderWithDescriptor:",
    "blitCommandEncoder",
    "newLibraryWithSource:options:error:",
    "newLibraryWithData:error:",
    "newFunctionWithName:",
    "newFunctionWithName:constantValues:error:",
    "newComputePipelineStateWithFunction:error:",
    "newComputePipelineStateWithDescriptor:options:completionHandler:",
    "newArgumentEncoderWithBufferIndex:",
    "newCounterSampleBufferWithDescriptor:error:",
    "resolveCounterRange:",
    "notifyListener:atValue:block:",
    "newBinaryArchiveWithDescriptor:error:",
    "addComputePipelineFunctionsWithDescriptor:error:",
    "serializeToURL:error:",
    "startCaptureWithDescriptor:error:",
};

constexpr std::string_view kWork = "a command buffer";

// Whatever refuses a call, it answers nil. The others end a command buffer.
constexpr Injection kInjections[] = {
    {"Refused", "", 1, HAL_STATUS_RESOURCE_EXHAUSTED},
    {"InternalError", "MTLCommandBufferErrorDomain 1", 1, HAL_STATUS_DEVICE_LOST},
    {"NotPermitted", "MTLCommandBufferErrorDomain 7", 7, HAL_STATUS_DEVICE_LOST},
};

constexpr Refusal kRefusals[] = {
    {"newCommandQueueWithMaxCommandBufferCount:", "newCommandQueueWithMaxCommandBufferCount returned nil",
     HAL_STATUS_RESOURCE_EXHAUSTED},
    {"newCommandQueueWithDescriptor:", "newCommandQueueWithDescriptor returned nil", HAL_STATUS_RESOURCE_EXHAUSTED},
    {"newFence", "newFence returned nil", HAL_STATUS_RESOURCE_EXHAUSTED},
    {"newSharedEvent", "newSharedEvent returned nil", HAL_STATUS_RESOURCE_EXHAUSTED},
    {"newResidencySetWithDescriptor:error:", "newResidencySetWithDescriptor: ", HAL_STATUS_RESOURCE_EXHAUSTED},
    {"newBufferWithLength:options:", "newBufferWithLength returned nil", HAL_STATUS_RESOURCE_EXHAUSTED},
    {"newBufferWithBytesNoCopy:length:options:deallocator:", "newBufferWithBytesNoCopy returned nil",
     HAL_STATUS_RESOURCE_EXHAUSTED},
    {kCommandBuffer, "commandBufferWithUnretainedReferences returned nil", HAL_STATUS_RESOURCE_EXHAUSTED},
    {"computeCommandEncoderWithDispatchType:", "computeCommandEncoder returned nil", HAL_STATUS_RESOURCE_EXHAUSTED},
    {"computeCommandEncoderWithDescriptor:", "computeCommandEncoder returned nil", HAL_STATUS_RESOURCE_EXHAUSTED},
    {"blitCommandEncoder", "blitCommandEncoder returned nil", HAL_STATUS_RESOURCE_EXHAUSTED},
    {"newLibraryWithSource:options:error:", "newLibraryWithSource: ", HAL_STATUS_ABORTED},
    {"newLibraryWithData:error:", "newLibraryWithData: ", HAL_STATUS_DATA_LOSS},
    {"newFunctionWithName:", "the library has no function", HAL_STATUS_NOT_FOUND},
    {"newFunctionWithName:constantValues:error:", "newFunctionWithName: ", HAL_STATUS_ABORTED},
    {"newComputePipelineStateWithFunction:error:", "newComputePipelineStateWithFunction: ", HAL_STATUS_ABORTED},
    {"newComputePipelineStateWithDescriptor:options:completionHandler:", "newComputePipelineState: ",
     HAL_STATUS_ABORTED},
    {"newArgumentEncoderWithBufferIndex:", "newArgumentEncoderWithBufferIndex returned nil",
     HAL_STATUS_RESOURCE_EXHAUSTED},
    {"startCaptureWithDescriptor:error:", "startCaptureWithDescriptor: ", HAL_STATUS_UNAVAILABLE},
    {kWork, "MTLCommandBufferErrorDomain", HAL_STATUS_DEVICE_LOST},
};

constexpr Recovery kRecoveries[] = {
    {"newLibraryWithSource:options:error:", "transfers' kernels: tried again when one is needed"},
    {"newFunctionWithName:", "the same"},
    {"newComputePipelineStateWithFunction:error:", "the same"},
    {"newCounterSampleBufferWithDescriptor:error:", "times are left out of a profile"},
    {"resolveCounterRange:", "times are left out of a profile"},
    {"newLogStateWithDescriptor:error:", "what kernels log is lost"},
    {"notifyListener:atValue:block:", "a thread of the device sees the value"},
    {"newBinaryArchiveWithDescriptor:error:", "the kernels are compiled, and not archived"},
    {"addComputePipelineFunctionsWithDescriptor:error:", "the same"},
    {"serializeToURL:error:", "the same"},
};

constexpr Mode kModes[] = {
    {"Automatic", ""}, {"Compatible", "dispatch=serial&arguments=encoder&residency=use&transfers=blit&in_flight=2"}};

constexpr Vendor kMetal = {
    .apis = Apis::kOthers,
    .modes = kModes,
    .functions = kFunctions,
    .injections = kInjections,
    .recoveries = kRecoveries,
    .refusals = kRefusals,
    .work = kWork,
    .makes_work = kCommandBuffer,
    .opens = "newSharedEvent",
    .loading_calls = 5,
    .answers_after_loss = true,
    .peers = HAL_PEER_RELATION_NONE,
    .device_memory = static_cast<hal_external_memory_type_t>(HAL_METAL_EXTERNAL_MEMORY_TYPE_BUFFER),
    .register_driver =
        [](hal_registry_t* registry, std::string_view) {
          cts::Check(hal_registry_register_driver(registry, hal_metal_driver_interface()), "register driver");
        },
    .scenarios = MetalScenarios,
};

}  // namespace

const Vendor& TestedVendor() { return kMetal; }

bool IsClosed(std::string_view, uint64_t objects_left) { return interop::vendor::Control().Objects() <= objects_left; }

void Join() {}

}  // namespace fault_injection

namespace interop::vendor {
namespace {

// The library has no versions, and nothing takes its objects but a release.
sim::SimControl Load() {
  setenv("HALYARD_METAL_LIBRARY", HALYARD_SIM_LIBRARY, 1);
  setenv("HALYARD_SIM_MEMORY", "67108864", 1);  // 64 MiB: metal_memory_test.cpp takes more
  void* const library = sim::OpenSimLibrary(HALYARD_SIM_LIBRARY, HALYARD_SIM_KERNEL_DIR);
  sim::SimControl control;
  control.FindBasics(library);
  control.SetVersion = [](int) {};
  control.Forget = [] {};
  return control;
}

}  // namespace

const Names kNames = [] {
  Names names{};
  names.driver = "metal";
  return names;
}();

const sim::SimControl& Control() {
  static const sim::SimControl control = Load();
  return control;
}

// Metal has nothing of the kind.
uintptr_t WhatIsCurrent() { return 0; }
void ResetThread() {}
int LastError() { return 0; }

}  // namespace interop::vendor
}  // namespace halyard
