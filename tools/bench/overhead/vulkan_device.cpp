// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "vulkan_calls.h"

namespace halyard::tools {
namespace {

std::string FormatUuid(const uint8_t (&bytes)[VK_UUID_SIZE]) {
  std::string text;
  for (size_t i = 0; i < VK_UUID_SIZE; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", bytes[i]);
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits;
  }
  return text;
}

}  // namespace

void MustVulkan(VkResult result, const char* call) {
  if (result != VK_SUCCESS) Fail(ExitCode::kRun, call, " failed with VkResult ", static_cast<int>(result));
}

VulkanDevice::VulkanDevice(hal_device_t* device) {
  try {
    Open(device);
  } catch (...) {
    Close();
    throw;
  }
}

VulkanDevice::~VulkanDevice() { Close(); }

void VulkanDevice::Close() noexcept {
  if (device_ != VK_NULL_HANDLE) {
    static_cast<void>(DeviceWaitIdle(device_));
    DestroyDevice(device_, nullptr);
  }
  if (instance_ != VK_NULL_HANDLE) DestroyInstance(instance_, nullptr);
}

// The library stays loaded: its drivers do not all survive being unloaded.
void VulkanDevice::Open(hal_device_t* device) {
  const char* const name = std::getenv("HALYARD_VULKAN_LIBRARY");
  library_ = dlopen(name && *name ? name : "libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library_) Fail(ExitCode::kDevice, dlerror());
  const auto find = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library_, "vkGetInstanceProcAddr"));
  if (!find) Fail(ExitCode::kDevice, "the Vulkan loader has no vkGetInstanceProcAddr");
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(find(VK_NULL_HANDLE, "vkCreateInstance"));
  MustVulkan(create(&info, nullptr, &instance_), "vkCreateInstance");
#define HALYARD_BENCH_VK_FIND(name) name = reinterpret_cast<PFN_vk##name>(find(instance_, "vk" #name));
  HALYARD_BENCH_VK_INSTANCE(HALYARD_BENCH_VK_FIND)
#undef HALYARD_BENCH_VK_FIND
  FindPhysical(device);
  ChooseFamily();
  OpenDevice();
}

void VulkanDevice::FindPhysical(hal_device_t* device) {
  const std::string wanted = Text(hal_device_info(device)->id);
  uint32_t count = 0;
  MustVulkan(EnumeratePhysicalDevices(instance_, &count, nullptr), "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> all(count);
  MustVulkan(EnumeratePhysicalDevices(instance_, &count, all.data()), "vkEnumeratePhysicalDevices");
  for (VkPhysicalDevice one : all) {
    VkPhysicalDeviceIDProperties id{};
    id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &id;
    GetPhysicalDeviceProperties2(one, &properties);
    if (FormatUuid(id.deviceUUID) == wanted) physical_ = one;
  }
  if (physical_ == VK_NULL_HANDLE) Fail(ExitCode::kDevice, "Vulkan has no device with the UUID ", wanted);
}

// One for compute alone, if there is such.
void VulkanDevice::ChooseFamily() {
  uint32_t count = 0;
  GetPhysicalDeviceQueueFamilyProperties(physical_, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  GetPhysicalDeviceQueueFamilyProperties(physical_, &count, families.data());
  for (uint32_t i = 0; i < count; ++i) {
    const VkQueueFlags flags = families[i].queueFlags;
    if ((flags & VK_QUEUE_COMPUTE_BIT) == 0) continue;
    if (queue_count_ > 0 && (flags & VK_QUEUE_GRAPHICS_BIT) != 0) continue;
    family_ = i;
    queue_count_ = std::min<size_t>(families[i].queueCount, queues_.size());
    if ((flags & VK_QUEUE_GRAPHICS_BIT) == 0) return;
  }
}

void VulkanDevice::OpenDevice() {
  VkPhysicalDeviceVulkan12Features known{};
  known.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  VkPhysicalDeviceFeatures2 all{};
  all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  all.pNext = &known;
  GetPhysicalDeviceFeatures2(physical_, &all);
  updates_after_bind_ = known.descriptorBindingStorageBufferUpdateAfterBind != VK_FALSE;
  VkPhysicalDeviceVulkan13Features v13{};
  v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  v13.synchronization2 = VK_TRUE;
  VkPhysicalDeviceVulkan12Features v12{};
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  v12.pNext = &v13;
  v12.timelineSemaphore = VK_TRUE;
  v12.descriptorBindingStorageBufferUpdateAfterBind = known.descriptorBindingStorageBufferUpdateAfterBind;
  const std::vector<float> priorities(queue_count_, 1.0F);
  VkDeviceQueueCreateInfo queues{};
  queues.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queues.queueFamilyIndex = family_;
  queues.queueCount = static_cast<uint32_t>(queue_count_);
  queues.pQueuePriorities = priorities.data();
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &v12;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queues;
  MustVulkan(CreateDevice(physical_, &info, nullptr, &device_), "vkCreateDevice");
#define HALYARD_BENCH_VK_FIND(name) name = reinterpret_cast<PFN_vk##name>(GetDeviceProcAddr(device_, "vk" #name));
  HALYARD_BENCH_VK_DEVICE(HALYARD_BENCH_VK_FIND)
#undef HALYARD_BENCH_VK_FIND
  for (size_t i = 0; i < queue_count_; ++i) {
    GetDeviceQueue(device_, family_, static_cast<uint32_t>(i), &queues_[i].handle);
  }
  GetPhysicalDeviceMemoryProperties(physical_, &memory_);
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

void SubmitVulkan(const VulkanDevice& vk, VulkanQueue& queue, VkCommandBuffer commands, VkSemaphore wait,
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
  const std::lock_guard lock(queue.mutex);
  MustVulkan(vk.QueueSubmit2(queue.handle, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit2");
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
