// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/device/physical_device.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "vulkan/device/device.h"
#include "vulkan/device/features.h"
#include "vulkan/device/limits.h"
#include "vulkan/library.h"
#include "vulkan/objects/lists.h"
#include "vulkan/objects/objects.h"
#include "vulkan/queue/records.h"
#include "vulkan/real.h"
#include "vulkan/rules/everlasting.h"

namespace halyard::vulkan_sim {
namespace {

struct Instance {
  std::shared_ptr<const Settings> settings;
  std::vector<std::shared_ptr<const PhysicalDevice>> devices;  // once they were asked for
};

struct Instances {
  std::mutex mutex;  // protects what follows
  std::map<VkInstance, Instance> all;
};

Instances& TheInstances() { return Everlasting<Instances>(); }

std::shared_ptr<const PhysicalDevice> MakePhysicalDevice(VkInstance instance, const Instance& data,
                                                         const std::vector<VkPhysicalDevice>& real, uint32_t index) {
  auto device = std::make_shared<PhysicalDevice>();
  device->is_copy = index >= real.size();
  device->real = real[device->is_copy ? 0 : index];
  device->handle = device->is_copy ? reinterpret_cast<VkPhysicalDevice>(device.get()) : device->real;
  device->instance = instance;
  device->index = index;
  device->settings = data.settings;
  device->limits = NarrowLimits(device->real, *data.settings);
  device->pretends_update_after_bind = data.settings->update_after_bind && !CanUpdateAfterBind(device->real);
  real::GetPhysicalDeviceMemoryProperties(device->real, &device->memory);
  return device;
}

// The devices of an instance, the same ones each time.
VkResult ListDevices(VkInstance instance, std::vector<std::shared_ptr<const PhysicalDevice>>& devices) {
  std::vector<VkPhysicalDevice> real;
  const VkResult result = AskForList(
      [&](uint32_t* count, VkPhysicalDevice* found) { return real::EnumeratePhysicalDevices(instance, count, found); },
      real);
  if (result != VK_SUCCESS) return result;
  const std::lock_guard lock(TheInstances().mutex);
  Instance& data = TheInstances().all.at(instance);
  const auto wanted = data.settings->devices == 0 ? static_cast<uint32_t>(real.size()) : data.settings->devices;
  while (!real.empty() && data.devices.size() < wanted) {
    data.devices.push_back(MakePhysicalDevice(instance, data, real, static_cast<uint32_t>(data.devices.size())));
  }
  devices = data.devices;
  return VK_SUCCESS;
}

// A setting without effect would let a test pass that proves nothing.
void CheckNames(const Settings& settings) {
  for (const std::string& name : settings.hidden) {
    if (name.starts_with("VK_") || name == "HOST_COHERENT" || IsFeature(name)) continue;
    Report("setting", "HALYARD_SIM_VULKAN_HIDE has '" + name + "', which names no extension and no known feature");
  }
  for (const auto& [name, value] : settings.limits) {
    if (!IsLimit(name)) Report("setting", "HALYARD_SIM_VULKAN_LIMITS has '" + name + "', which is no known limit");
  }
}

}  // namespace

std::shared_ptr<const PhysicalDevice> FindPhysicalDevice(VkPhysicalDevice handle) {
  const std::lock_guard lock(TheInstances().mutex);
  for (const auto& [instance, data] : TheInstances().all) {
    const auto found = std::ranges::find(data.devices, handle, [](const auto& device) { return device->handle; });
    if (found != data.devices.end()) return *found;
  }
  return nullptr;
}

VkPhysicalDevice RealHandle(VkPhysicalDevice handle) {
  const auto device = FindPhysicalDevice(handle);
  return device == nullptr ? handle : device->real;
}

namespace own {

VkResult CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                        VkInstance* instance) {
  auto settings = std::make_shared<const Settings>(ReadSettings());
  CheckNames(*settings);
  for (uint32_t i = 0; i < info->enabledExtensionCount; ++i) {
    if (settings->HidesExtension(info->ppEnabledExtensionNames[i])) return VK_ERROR_EXTENSION_NOT_PRESENT;
  }
  const VkResult result = real::CreateInstance(info, allocator, instance);
  if (result != VK_SUCCESS) return result;
  WatchExit();
  FindRealFunctions(*instance);
  Objects::The().Add(Handle(*instance), Handle());
  const std::lock_guard lock(TheInstances().mutex);
  TheInstances().all[*instance] = {std::move(settings), {}};
  return result;
}

void DestroyInstance(VkInstance instance, const VkAllocationCallbacks* allocator) {
  if (instance == VK_NULL_HANDLE) return;
  std::string left = Objects::The().RemoveChildren(Handle(instance));
  {
    const std::lock_guard lock(TheInstances().mutex);
    for (const auto& device : TheInstances().all.at(instance).devices) {
      left += Objects::The().RemoveChildren(Handle(device->handle));
    }
    TheInstances().all.erase(instance);
  }
  if (!left.empty()) Report("leak", left + " when the instance was destroyed");
  Objects::The().Remove(Handle(instance));
  real::DestroyInstance(instance, allocator);
}

VkResult EnumeratePhysicalDevices(VkInstance instance, uint32_t* count, VkPhysicalDevice* handles) {
  std::vector<std::shared_ptr<const PhysicalDevice>> devices;
  const VkResult result = ListDevices(instance, devices);
  if (result != VK_SUCCESS) return result;
  return AnswerList(devices, count, handles, [](const auto& device, VkPhysicalDevice& to) { to = device->handle; });
}

// Each device is a group of its own.
VkResult EnumeratePhysicalDeviceGroups(VkInstance instance, uint32_t* count, VkPhysicalDeviceGroupProperties* groups) {
  std::vector<std::shared_ptr<const PhysicalDevice>> devices;
  const VkResult result = ListDevices(instance, devices);
  if (result != VK_SUCCESS) return result;
  return AnswerList(devices, count, groups, [](const auto& device, VkPhysicalDeviceGroupProperties& group) {
    group.physicalDeviceCount = 1;
    group.physicalDevices[0] = device->handle;
    group.subsetAllocation = VK_FALSE;
  });
}

}  // namespace own
}  // namespace halyard::vulkan_sim
