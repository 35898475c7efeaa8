// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/device/device.h"

#include <algorithm>
#include <string>

#include "vulkan/device/features.h"
#include "vulkan/objects/objects.h"
#include "vulkan/queue/records.h"
#include "vulkan/real.h"
#include "vulkan/rules/everlasting.h"
#include "vulkan/rules/in_use.h"

namespace halyard::vulkan_sim {
namespace {

struct Devices {
  std::mutex mutex;  // protects what follows; taken before a device's
  std::map<VkDevice, std::shared_ptr<Device>> all;
};

Devices& TheDevices() { return Everlasting<Devices>(); }

std::vector<VkQueueFamilyProperties> RealFamilies(VkPhysicalDevice real) {
  uint32_t count = 0;
  real::GetPhysicalDeviceQueueFamilyProperties(real, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  real::GetPhysicalDeviceQueueFamilyProperties(real, &count, families.data());
  return families;
}

// The same queues, as far as the real device has them.
std::vector<VkDeviceQueueCreateInfo> RealQueues(VkPhysicalDevice real, const VkDeviceCreateInfo& info) {
  std::vector<VkDeviceQueueCreateInfo> queues(info.pQueueCreateInfos,
                                              info.pQueueCreateInfos + info.queueCreateInfoCount);
  const std::vector<VkQueueFamilyProperties> families = RealFamilies(real);
  for (VkDeviceQueueCreateInfo& queue : queues) {
    queue.queueCount = std::min(queue.queueCount, families.at(queue.queueFamilyIndex).queueCount);
  }
  return queues;
}

VkResult RefuseHidden(const Settings& settings, const VkDeviceCreateInfo& info) {
  for (uint32_t i = 0; i < info.enabledExtensionCount; ++i) {
    if (settings.HidesExtension(info.ppEnabledExtensionNames[i])) return VK_ERROR_EXTENSION_NOT_PRESENT;
  }
  return HiddenFeature(settings, info) == nullptr ? VK_SUCCESS : VK_ERROR_FEATURE_NOT_PRESENT;
}

void AddQueues(Device& device, const VkDeviceQueueCreateInfo& asked, uint32_t real_count) {
  const uint32_t family = asked.queueFamilyIndex;
  for (uint32_t i = 0; i < asked.queueCount; ++i) {
    auto& real = device.real_queues[{family, i % real_count}];
    auto queue = std::make_unique<Queue>();
    queue->handle = reinterpret_cast<VkQueue>(queue.get());
    if (real == nullptr) {
      real = std::make_unique<RealQueue>();
      const VkDeviceQueueInfo2 info = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2, nullptr, asked.flags, family, i};
      real::GetDeviceQueue2(device.handle, &info, &real->handle);
      queue->handle = real->handle;
    }
    queue->real = real.get();
    device.queues[{family, i}] = std::move(queue);
  }
}

}  // namespace

std::shared_ptr<Device> FindDevice(VkDevice handle) {
  const std::lock_guard lock(TheDevices().mutex);
  const auto found = TheDevices().all.find(handle);
  return found == TheDevices().all.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<Device>> AllDevices() {
  const std::lock_guard lock(TheDevices().mutex);
  std::vector<std::shared_ptr<Device>> devices;
  for (const auto& [handle, device] : TheDevices().all) devices.push_back(device);
  return devices;
}

std::pair<std::shared_ptr<Device>, Queue*> FindQueue(VkQueue handle) {
  for (const auto& device : AllDevices()) {
    for (const auto& [place, queue] : device->queues) {
      if (queue->handle == handle) return {device, queue.get()};
    }
  }
  return {};
}

VkQueue RealHandle(VkQueue handle) {
  const auto [device, queue] = FindQueue(handle);
  return queue == nullptr ? handle : queue->real->handle;
}

namespace own {

VkResult CreateDevice(VkPhysicalDevice handle, const VkDeviceCreateInfo* info, const VkAllocationCallbacks* allocator,
                      VkDevice* created) {
  const auto physical = FindPhysicalDevice(handle);
  const VkResult refused = RefuseHidden(*physical->settings, *info);
  if (refused != VK_SUCCESS) return refused;
  const std::vector<VkDeviceQueueCreateInfo> queues = RealQueues(physical->real, *info);
  VkDeviceCreateInfo real_info = *info;
  real_info.pQueueCreateInfos = queues.data();
  const WithoutOffered real_features(*physical, *info);
  const VkResult result = real::CreateDevice(physical->real, &real_info, allocator, created);
  if (result != VK_SUCCESS) return result;

  auto device = std::make_shared<Device>();
  device->handle = *created;
  device->physical = physical;
  for (size_t i = 0; i < queues.size(); ++i) AddQueues(*device, info->pQueueCreateInfos[i], queues[i].queueCount);
  const std::lock_guard lock(TheDevices().mutex);
  TheDevices().all[*created] = std::move(device);
  return VK_SUCCESS;
}

void DestroyDevice(VkDevice handle, const VkAllocationCallbacks* allocator) {
  if (handle == VK_NULL_HANDLE) return;
  ReportIfInUse(real::DestroyDevice.name, handle, Handle(handle));
  const std::string left = Objects::The().RemoveChildren(Handle(handle));
  if (!left.empty()) Report("leak", left + " when the device was destroyed");
  Objects::The().Remove(Handle(handle));
  {
    const std::lock_guard lock(TheDevices().mutex);
    TheDevices().all.erase(handle);
  }
  real::DestroyDevice(handle, allocator);
}

void GetDeviceQueue2(VkDevice handle, const VkDeviceQueueInfo2* info, VkQueue* queue) {
  const auto device = FindDevice(handle);
  const auto found = device->queues.find({info->queueFamilyIndex, info->queueIndex});
  *queue = found == device->queues.end() ? VK_NULL_HANDLE : found->second->handle;
}

void GetDeviceQueue(VkDevice handle, uint32_t family, uint32_t index, VkQueue* queue) {
  const VkDeviceQueueInfo2 info = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2, nullptr, 0, family, index};
  GetDeviceQueue2(handle, &info, queue);
}

}  // namespace own
}  // namespace halyard::vulkan_sim
