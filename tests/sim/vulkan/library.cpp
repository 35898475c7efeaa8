// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/library.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "vulkan/device/device.h"
#include "vulkan/device/physical_device.h"
#include "vulkan/functions.h"

namespace halyard::vulkan_sim {
namespace {

PFN_vkGetInstanceProcAddr OpenRealLibrary() {
  const char* named = std::getenv("HALYARD_SIM_VULKAN_FORWARD");
  const char* path = named == nullptr || *named == '\0' ? "libvulkan.so.1" : named;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "halyard sim: the real Vulkan library cannot be loaded: %s\n", dlerror());
    return nullptr;
  }
  return reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
}

}  // namespace

PFN_vkGetInstanceProcAddr RealGetInstanceProcAddr() {
  static const PFN_vkGetInstanceProcAddr function = OpenRealLibrary();
  return function;
}

void FindRealFunctions(VkInstance instance) {
  for (const ListedFunction& function : ListedFunctions()) {
    const PFN_vkVoidFunction found = RealGetInstanceProcAddr()(instance, function.real->name);
    if (found != nullptr) function.real->pointer = found;
  }
}

}  // namespace halyard::vulkan_sim

// What the loader exports. A program finds all else by the first two.

using halyard::vulkan_sim::FindRealFunctions;
using halyard::vulkan_sim::OursFor;
using halyard::vulkan_sim::RealGetInstanceProcAddr;

#define EXPORTED extern "C" __attribute__((visibility("default"))) VKAPI_ATTR

EXPORTED PFN_vkVoidFunction VKAPI_CALL vkGetDeviceProcAddr(VkDevice device, const char* name);

EXPORTED PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char* name) {
  const PFN_vkGetInstanceProcAddr real = RealGetInstanceProcAddr();
  if (real == nullptr) return nullptr;
  static const bool found_globals = (FindRealFunctions(VK_NULL_HANDLE), true);
  static_cast<void>(found_globals);
  const std::string_view wanted = name;
  if (wanted == "vkGetInstanceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(&vkGetInstanceProcAddr);
  if (wanted == "vkGetDeviceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(&vkGetDeviceProcAddr);
  return OursFor(wanted, real(instance, name));
}

EXPORTED PFN_vkVoidFunction VKAPI_CALL vkGetDeviceProcAddr(VkDevice device, const char* name) {
  const std::string_view wanted = name;
  if (wanted == "vkGetDeviceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(&vkGetDeviceProcAddr);
  const auto known = halyard::vulkan_sim::FindDevice(device);
  if (known == nullptr) return nullptr;
  const auto real = reinterpret_cast<PFN_vkGetDeviceProcAddr>(
      RealGetInstanceProcAddr()(known->physical->instance, "vkGetDeviceProcAddr"));
  return OursFor(wanted, real(device, name));
}

#define GLOBAL(function) reinterpret_cast<PFN_vk##function>(vkGetInstanceProcAddr(VK_NULL_HANDLE, "vk" #function))

EXPORTED VkResult VKAPI_CALL vkCreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                              VkInstance* instance) {
  const auto function = GLOBAL(CreateInstance);
  return function == nullptr ? VK_ERROR_INITIALIZATION_FAILED : function(info, allocator, instance);
}

EXPORTED VkResult VKAPI_CALL vkEnumerateInstanceVersion(uint32_t* version) {
  const auto function = GLOBAL(EnumerateInstanceVersion);
  return function == nullptr ? VK_ERROR_INITIALIZATION_FAILED : function(version);
}

EXPORTED VkResult VKAPI_CALL vkEnumerateInstanceExtensionProperties(const char* layer, uint32_t* count,
                                                                    VkExtensionProperties* properties) {
  const auto function = GLOBAL(EnumerateInstanceExtensionProperties);
  return function == nullptr ? VK_ERROR_INITIALIZATION_FAILED : function(layer, count, properties);
}

EXPORTED VkResult VKAPI_CALL vkEnumerateInstanceLayerProperties(uint32_t* count, VkLayerProperties* properties) {
  const auto function = GLOBAL(EnumerateInstanceLayerProperties);
  return function == nullptr ? VK_ERROR_INITIALIZATION_FAILED : function(count, properties);
}
