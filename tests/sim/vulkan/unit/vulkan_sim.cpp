// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan_sim.h"

#include "vulkan/runtime/lavapipe.h"

namespace halyard::vulkan_sim {
namespace {

VulkanSim Load() {
  UseLavapipe();
  void* library = dlopen(HALYARD_SIM_VULKAN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::abort();
  }
  VulkanSim sim;
  sim::FindSymbol(library, "vkGetInstanceProcAddr", &sim.GetInstanceProcAddr);
  sim::FindSymbol(library, "vkGetDeviceProcAddr", &sim.GetDeviceProcAddr);
  sim.FindBasics(library);
  sim::FindSymbol(library, "halyardSimReports", &sim.Reports);
  sim::FindSymbol(library, "halyardSimIgnore", &sim.Ignore);
  sim::FindSymbol(library, "halyardSimCheckLeaks", &sim.CheckLeaks);
  sim::FindSymbol(library, "vkCreateInstance", &sim.CreateInstance);
  sim::FindSymbol(library, "vkEnumerateInstanceVersion", &sim.EnumerateInstanceVersion);
  sim::FindSymbol(library, "halyardSimLoseVulkan", &sim.LoseVulkan);
  sim::FindSymbol(library, "halyardSimInside", &sim.Inside);
  return sim;
}

}  // namespace

const VulkanSim& VulkanSim::Get() {
  static const VulkanSim sim = Load();
  return sim;
}

VulkanFunctions VulkanSim::Functions(VkInstance instance) const {
  VulkanFunctions functions;
#define PLAIN(function) \
  functions.function = reinterpret_cast<PFN_vk##function>(GetInstanceProcAddr(instance, "vk" #function));
#define OWN(function) PLAIN(function)
#define SHARED(function) PLAIN(function)
#include "vulkan/functions.inc"
#undef PLAIN
#undef OWN
#undef SHARED
  return functions;
}

}  // namespace halyard::vulkan_sim
