// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/native/vulkan_context.h"

#include <algorithm>
#include <bit>
#include <new>

#include "base/log.h"

namespace halyard::vulkan {

void VulkanContext::NameExtensions(HostVector<const char*>* out) const {
  if (traits_.host_memory_import) out->push_back(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  if (traits_.calibrated_timestamps) out->push_back(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME);
  if (traits_.memory_fd) out->push_back(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  if (traits_.dma_buf) out->push_back(VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME);
  if (traits_.semaphore_fd) out->push_back(VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME);
  if (traits_.null_descriptors) out->push_back(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME);
  if (traits_.portability) out->push_back("VK_KHR_portability_subset");
}

Status VulkanContext::Open(uint32_t queue_count, bool robust) {
  updates_sets_ = traits_.update_after_bind && (!robust || traits_.robust_updates);
  queue_count = std::min(queue_count, traits_.queue_count);
  const uint32_t with_spare = std::min(queue_count + 1, traits_.queue_count);
  const HostVector<float> priorities(with_spare, 1.0F);
  VkDeviceQueueCreateInfo queues{};
  queues.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queues.queueFamilyIndex = traits_.family;
  queues.queueCount = with_spare;
  queues.pQueuePriorities = priorities.data();
  HostVector<const char*> extensions;
  NameExtensions(&extensions);
  VulkanFeatures features(traits_.null_descriptors);
  features.Read(*instance_, physical_);
  features.Select(robust);
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features.core;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queues;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  HAL_TRY(HAL_VK(instance_->vk(), CreateDevice, physical_, &info, nullptr, &device_));
  HAL_TRY(FindFunctions(device_, instance_->vk(), &vk_));
  for (uint32_t i = 0; i < queue_count; ++i) AddQueue(i);
  if (with_spare > queue_count) vk_.GetDeviceQueue(device_, traits_.family, queue_count, &spare_queue_.handle);
  return kOk;
}

Status VulkanContext::Wrap(const WrappedDevice& wrapped) {
  wrapped_ = wrapped;
  device_ = wrapped.device;
  updates_sets_ = traits_.update_after_bind && (!traits_.robust_access || traits_.robust_updates);
  HAL_TRY(FindFunctions(device_, instance_->vk(), &vk_));
  vk_.CmdBeginDebugUtilsLabelEXT = nullptr;  // whether the instance has the extension is not told
  for (uint64_t left = wrapped.queues; left != 0; left &= left - 1) {
    AddQueue(static_cast<uint32_t>(std::countr_zero(left)));
  }
  return kOk;
}

void VulkanContext::AddQueue(uint32_t index) {
  NativeQueue& queue = queues_.emplace_back();
  queue.index = index;
  vk_.GetDeviceQueue(device_, traits_.family, index, &queue.handle);
}

// The instance of an abandoned device is kept for it, where tools that look for leaks find it.
void VulkanContext::LeaveAsItIs() noexcept {
  LogLater(HAL_LOG_LEVEL_WARNING, "Vulkan: a device that stands still is left with its memory, which it may still use");
  struct Kept {
    std::shared_ptr<const VulkanInstance> instance;
    Kept* next;
  };
  static constinit std::atomic<Kept*> newest{nullptr};
  auto* const kept = new (std::nothrow) Kept{instance_, newest.load()};
  while (kept && !newest.compare_exchange_weak(kept->next, kept)) {
  }
}

VulkanContext::~VulkanContext() {
  if (abandoned()) {
    LeaveAsItIs();
    return;
  }
  if (device_ && !wrapped_.device && vk_.DestroyDevice) vk_.DestroyDevice(device_, nullptr);
  if (releases_ && wrapped_.release) wrapped_.release(wrapped_.release_data);
}

}  // namespace halyard::vulkan
