// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard_side.h"
#include "vulkan_calls.h"

namespace halyard::tools {
void MustVulkan(VkResult result, const char* call) {
  if (result != VK_SUCCESS) Fail(ExitCode::kRun, call, " failed with VkResult ", static_cast<int>(result));
}

VulkanDevice::VulkanDevice(hal_device_t* device) : halyard_(device) {
  const void* table = nullptr;
  Check(hal_device_query_interface(device, hal_string_view(HAL_VULKAN_INTEROP_INTERFACE), 1, &table), ExitCode::kDevice,
        "use Vulkan beside Halyard");
  interop_ = static_cast<const hal_vulkan_interop_interface_t*>(table);
  hal_vulkan_device_t native = HAL_INIT(hal_vulkan_device_t);
  Check(interop_->device(device, &native), ExitCode::kDevice, "use Vulkan beside Halyard");
  const auto find = reinterpret_cast<PFN_vkGetInstanceProcAddr>(native.get_instance_proc_addr);
  const auto instance = static_cast<VkInstance>(native.instance);
#define HALYARD_BENCH_VK_FIND(name) name = reinterpret_cast<PFN_vk##name>(find(instance, "vk" #name));
  HALYARD_BENCH_VK_INSTANCE(HALYARD_BENCH_VK_FIND)
#undef HALYARD_BENCH_VK_FIND
  device_ = static_cast<VkDevice>(native.device);
  family_ = native.queue_family;
#define HALYARD_BENCH_VK_FIND(name) name = reinterpret_cast<PFN_vk##name>(GetDeviceProcAddr(device_, "vk" #name));
  HALYARD_BENCH_VK_DEVICE(HALYARD_BENCH_VK_FIND)
#undef HALYARD_BENCH_VK_FIND
  FindQueues();
  const auto physical = static_cast<VkPhysicalDevice>(native.physical_device);
  GetPhysicalDeviceMemoryProperties(physical, &memory_);
  // Halyard's driver enables it where the device has it.
  VkPhysicalDeviceVulkan12Features known{};
  known.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  VkPhysicalDeviceFeatures2 all{};
  all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  all.pNext = &known;
  GetPhysicalDeviceFeatures2(physical, &all);
  updates_after_bind_ = known.descriptorBindingStorageBufferUpdateAfterBind != VK_FALSE;
}

void VulkanDevice::FindQueues() {
  const uint32_t count = hal_device_info(halyard_)->queue_count;
  for (uint32_t i = 0; i < queues_.size(); ++i) {
    queues_[i].number = i % count;
    hal_vulkan_queue_t native = HAL_INIT(hal_vulkan_queue_t);
    Check(interop_->queue(halyard_, queues_[i].number, &native), ExitCode::kDevice, "use a queue beside Halyard");
    queues_[i].handle = static_cast<VkQueue>(native.queue);
  }
}

void VulkanDevice::Submit(const VulkanQueue& queue, const VkSubmitInfo2& info) const {
  Must(interop_->lock_queue(halyard_, queue.number), "lock a queue");
  const VkResult result = QueueSubmit2(queue.handle, 1, &info, VK_NULL_HANDLE);
  Must(interop_->unlock_queue(halyard_, queue.number), "unlock a queue");
  MustVulkan(result, "vkQueueSubmit2");
}

VkSemaphore VulkanDevice::MakeTimeline() const {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  VkSemaphore timeline = VK_NULL_HANDLE;
  MustVulkan(CreateSemaphore(device_, &info, nullptr, &timeline), "vkCreateSemaphore");
  return timeline;
}

uint64_t VulkanDevice::Value(VkSemaphore timeline) const {
  uint64_t value = 0;
  MustVulkan(GetSemaphoreCounterValue(device_, timeline, &value), "vkGetSemaphoreCounterValue");
  return value;
}

VkBuffer VulkanDevice::MakeBuffer(uint64_t length) const {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = length;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  MustVulkan(CreateBuffer(device_, &info, nullptr, &buffer), "vkCreateBuffer");
  return buffer;
}

VkDeviceMemory VulkanDevice::MakeMemory(VkBuffer buffer) const {
  VkMemoryRequirements needs{};
  GetBufferMemoryRequirements(device_, buffer, &needs);
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = needs.size;
  bool is_found = false;
  for (uint32_t i = 0; i < memory_.memoryTypeCount; ++i) {
    const VkMemoryPropertyFlags flags = memory_.memoryTypes[i].propertyFlags;
    const bool fits = (needs.memoryTypeBits >> i & 1) != 0 && (flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0;
    const bool is_better = (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0;
    if (!fits || (is_found && !is_better)) continue;
    info.memoryTypeIndex = i;
    if (is_better) break;
    is_found = true;
  }
  VkDeviceMemory memory = VK_NULL_HANDLE;
  MustVulkan(AllocateMemory(device_, &info, nullptr, &memory), "vkAllocateMemory");
  return memory;
}

void SubmitVulkan(const VulkanDevice& vk, const VulkanQueue& queue, VkCommandBuffer commands, VkSemaphore wait,
                  uint64_t after, VkSemaphore signal, uint64_t value) {
  const auto point = [](VkSemaphore semaphore, uint64_t number) {
    VkSemaphoreSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
    info.semaphore = semaphore;
    info.value = number;
    info.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    return info;
  };
  const VkSemaphoreSubmitInfo before = point(wait, after);
  const VkSemaphoreSubmitInfo behind = point(signal, value);
  VkCommandBufferSubmitInfo what{};
  what.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
  what.commandBuffer = commands;
  VkSubmitInfo2 info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
  info.waitSemaphoreInfoCount = after > 0 ? 1 : 0;
  info.pWaitSemaphoreInfos = &before;
  info.commandBufferInfoCount = 1;
  info.pCommandBufferInfos = &what;
  info.signalSemaphoreInfoCount = 1;
  info.pSignalSemaphoreInfos = &behind;
  vk.Submit(queue, info);
}

void SpinForVulkan(const VulkanDevice& vk, VkSemaphore timeline, uint64_t value) {
  constexpr uint64_t kMostLooks = uint64_t{1} << 32;  // minutes
  for (uint64_t looks = 0; vk.Value(timeline) < value; ++looks) {
    if (looks == kMostLooks) Fail(ExitCode::kDevice, "a timeline of Vulkan does not reach ", value);
  }
}

void SleepForVulkan(const VulkanDevice& vk, VkSemaphore timeline, uint64_t value) {
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline;
  info.pValues = &value;
  MustVulkan(vk.WaitSemaphores(vk.handle(), &info, UINT64_MAX), "vkWaitSemaphores");
}

void AwaitVulkan(const VulkanDevice& vk, VkSemaphore timeline, uint64_t value) noexcept {
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline;
  info.pValues = &value;
  static_cast<void>(vk.WaitSemaphores(vk.handle(), &info, UINT64_MAX));
}

void RecordKernelBarrier(const VulkanDevice& vk, VkCommandBuffer commands) {
  VkMemoryBarrier2 memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2;
  memory.srcStageMask = memory.dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
  memory.srcAccessMask = VK_ACCESS_2_SHADER_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_2_SHADER_READ_BIT;
  VkDependencyInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
  info.memoryBarrierCount = 1;
  info.pMemoryBarriers = &memory;
  vk.CmdPipelineBarrier2(commands, &info);
}

VulkanCommands::VulkanCommands(const VulkanDevice& vk) : vk_(vk) {
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = vk.family();
  MustVulkan(vk.CreateCommandPool(vk.handle(), &pool, nullptr, &pool_), "vkCreateCommandPool");
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = pool_;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  MustVulkan(vk.AllocateCommandBuffers(vk.handle(), &info, &handle_), "vkAllocateCommandBuffers");
}

void VulkanCommands::Record(const std::function<void(VkCommandBuffer)>& record) {
  MustVulkan(vk_.ResetCommandPool(vk_.handle(), pool_, 0), "vkResetCommandPool");
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  MustVulkan(vk_.BeginCommandBuffer(handle_, &info), "vkBeginCommandBuffer");
  record(handle_);
  MustVulkan(vk_.EndCommandBuffer(handle_), "vkEndCommandBuffer");
}

}  // namespace halyard::tools
