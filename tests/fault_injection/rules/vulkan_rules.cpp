// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vulkan, for the fault injector.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "fault_injection/scenarios/vulkan_scenarios.h"
#include "fault_injection/vendor.h"
#include "stream_drivers/vendor.h"
#include "vulkan/native/vulkan_headers.h"
#include "vulkan/runtime/lavapipe.h"

namespace halyard {
namespace fault_injection {
namespace {

struct Function {
  const char* name;
  bool can_fail;
};

template <class Pointer>
inline constexpr bool kCanFail = false;
template <class... Arguments>
inline constexpr bool kCanFail<VkResult(VKAPI_PTR*)(Arguments...)> = true;

#define HAL_VK_ANY(function) {"vk" #function, kCanFail<PFN_vk##function>},
#define HAL_VK_GLOBAL(function) HAL_VK_ANY(function)
#define HAL_VK_INSTANCE(function) HAL_VK_ANY(function)
#define HAL_VK_INSTANCE_OPTIONAL(function) HAL_VK_ANY(function)
#define HAL_VK_DEVICE(function) HAL_VK_ANY(function)
#define HAL_VK_DEVICE_OPTIONAL(function) HAL_VK_ANY(function)
constexpr Function kAll[] = {
#include "vulkan/native/vulkan_functions.inc"
};
#undef HAL_VK_ANY

// Those with a result: all that the driver calls.
constexpr auto kFunctions = [] {
  std::array<const char*, std::ranges::count(kAll, true, &Function::can_fail)> names{};
  size_t count = 0;
  for (const Function& function : kAll) {
    if (function.can_fail) names[count++] = function.name;
  }
  return names;
}();

constexpr Injection kInjections[] = {
    {"OutOfDeviceMemory", "VK_ERROR_OUT_OF_DEVICE_MEMORY", VK_ERROR_OUT_OF_DEVICE_MEMORY,
     HAL_STATUS_RESOURCE_EXHAUSTED},
    {"OutOfHostMemory", "VK_ERROR_OUT_OF_HOST_MEMORY", VK_ERROR_OUT_OF_HOST_MEMORY, HAL_STATUS_RESOURCE_EXHAUSTED},
    {"DeviceLost", "VK_ERROR_DEVICE_LOST", VK_ERROR_DEVICE_LOST, HAL_STATUS_DEVICE_LOST},
};

constexpr Recovery kRecoveries[] = {
    {"vkDeviceWaitIdle", "all work has ended before"},
    {"vkGetSemaphoreCounterValue", "tried again"},
    {"vkWaitSemaphores", "the same"},
    {"vkAllocateMemory", "a piece for many allocations: one for the allocation alone is tried"},
    {"vkMapMemory", "the same"},
    {"vkCreateQueryPool", "times are left out of a profile"},
    {"vkGetQueryPoolResults", "the same"},
    {"vkGetPhysicalDeviceCalibrateableTimeDomainsEXT", "the same"},
    {"vkGetCalibratedTimestampsEXT", "the same"},
    {"vkCreatePipelineCache", "the kernels are compiled, and not kept"},
    {"vkGetPipelineCacheData", "the same"},
};

constexpr Mode kModes[] = {{"Automatic", ""}, {"WithoutPoolSlow", "pool=0&robust=on"}};

constexpr Vendor kVulkan = {
    .apis = Apis::kOthers,
    .modes = kModes,
    .functions = kFunctions,
    .injections = kInjections,
    .recoveries = kRecoveries,
    .opens = "vkCreateDevice",
    .loading_calls = 10,
    .answers_after_loss = true,
    .peers = HAL_PEER_RELATION_NONE,
    .device_memory = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER,
    .scenarios = VulkanScenarios,
};

}  // namespace

const Vendor& TestedVendor() { return kVulkan; }

bool IsClosed(std::string_view, uint64_t objects_left) { return interop::vendor::Control().Objects() <= objects_left; }

void Join() {}

}  // namespace fault_injection

namespace interop::vendor {
namespace {

// Each device has a queue for each of its lanes, and one more.
sim::SimControl Load() {
  vulkan_sim::UseLavapipe();
  setenv("HALYARD_VULKAN_LIBRARY", HALYARD_SIM_LIBRARY, 1);
  setenv("HALYARD_SIM_VULKAN_QUEUES", "3", 0);
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
  names.driver = "vulkan";
  return names;
}();

const sim::SimControl& Control() {
  static const sim::SimControl control = Load();
  return control;
}

// Vulkan has nothing of the kind.
uintptr_t WhatIsCurrent() { return 0; }
void ResetThread() {}
int LastError() { return 0; }

}  // namespace interop::vendor
}  // namespace halyard
