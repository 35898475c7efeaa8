// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan_test.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace halyard::vulkan {
namespace {

const VulkanLibrary& Library() {
  const VulkanLibrary* library = nullptr;
  cts::Check(Publish(VulkanLibrary::Get(&library)), "open Vulkan's loader");
  return *library;
}

}  // namespace

void CheckVk(VkResult result, const char* what) {
  if (result != VK_SUCCESS) throw std::runtime_error(std::string(what) + " returns " + std::to_string(result));
}

NativeDevice::NativeDevice(const std::vector<const char*>& extensions) : owns_(true) {
  OpenInstance();
  OpenDevice(extensions);
}

NativeDevice::NativeDevice(const cts::Device& device) : owns_(false) {
  cts::Check(InteropOf(device).device(device, &told_), "device");
  cts::Check(
      Publish(FindFunctions(Library().get_proc_address(), static_cast<VkInstance>(told_.instance), &instance_vk_)),
      "functions of the instance");
  cts::Check(Publish(FindFunctions(handle(), instance_vk_, &vk_)), "functions of the device");
}

NativeDevice::~NativeDevice() {
  for (VkSemaphore timeline : timelines_) vk_.DestroySemaphore(handle(), timeline, nullptr);
  for (const NativeBuffer& one : buffers_) {
    vk_.DestroyBuffer(handle(), one.buffer, nullptr);
    vk_.FreeMemory(handle(), one.memory, nullptr);
  }
  if (!owns_) return;
  vk_.DestroyDevice(handle(), nullptr);
  instance_vk_.DestroyInstance(static_cast<VkInstance>(told_.instance), nullptr);
}

void NativeDevice::OpenInstance() {
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  VkInstance instance = VK_NULL_HANDLE;
  CheckVk(Library().vk().CreateInstance(&info, nullptr, &instance), "vkCreateInstance");
  told_.instance = instance;
  told_.api_version = VK_API_VERSION_1_3;
  told_.get_instance_proc_addr = reinterpret_cast<void*>(Library().get_proc_address());
  cts::Check(Publish(FindFunctions(Library().get_proc_address(), instance, &instance_vk_)),
             "functions of the instance");
  uint32_t count = 1;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  instance_vk_.EnumeratePhysicalDevices(instance, &count, &physical);
  told_.physical_device = physical;
}

std::vector<const char*> NativeDevice::Have(const std::vector<const char*>& wanted) const {
  const auto physical = static_cast<VkPhysicalDevice>(told_.physical_device);
  uint32_t count = 0;
  instance_vk_.EnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> all(count);
  instance_vk_.EnumerateDeviceExtensionProperties(physical, nullptr, &count, all.data());
  std::vector<const char*> have;
  std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(have), [&](std::string_view name) {
    return std::any_of(all.begin(), all.end(), [&](const auto& one) { return name == one.extensionName; });
  });
  return have;
}

void NativeDevice::ChainFeatures() {
  features_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features_.pNext = &v12_;
  v12_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  v12_.pNext = &v13_;
  v12_.timelineSemaphore = v12_.bufferDeviceAddress = v12_.hostQueryReset = VK_TRUE;
  v13_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  v13_.synchronization2 = v13_.maintenance4 = VK_TRUE;
}

// All queues of the first family, which can compute on any device that the tests run on.
void NativeDevice::OpenDevice(const std::vector<const char*>& wanted) {
  ChainFeatures();
  extensions_ = Have(wanted);
  const float priority = 1;
  VkDeviceQueueCreateInfo queues{};
  queues.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queues.queueCount = 1;
  queues.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features_;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queues;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions_.size());
  info.ppEnabledExtensionNames = extensions_.data();
  VkDevice device = VK_NULL_HANDLE;
  CheckVk(instance_vk_.CreateDevice(static_cast<VkPhysicalDevice>(told_.physical_device), &info, nullptr, &device),
          "vkCreateDevice");
  told_.device = device;
  told_.queues = 1;
  told_.features = &features_;
  told_.extension_count = extensions_.size();
  told_.extensions = extensions_.data();
  cts::Check(Publish(FindFunctions(device, instance_vk_, &vk_)), "functions of the device");
}

VkQueue NativeDevice::queue() const {
  VkQueue queue = VK_NULL_HANDLE;
  vk_.GetDeviceQueue(handle(), told_.queue_family, static_cast<uint32_t>(std::countr_zero(told_.queues)), &queue);
  return queue;
}

VkSemaphore NativeDevice::MakeTimeline(uint64_t value) {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  type.initialValue = value;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  VkSemaphore made = VK_NULL_HANDLE;
  CheckVk(vk_.CreateSemaphore(handle(), &info, nullptr, &made), "vkCreateSemaphore");
  return timelines_.emplace_back(made);
}

uint64_t NativeDevice::ValueOf(VkSemaphore timeline) const {
  uint64_t value = 0;
  CheckVk(vk_.GetSemaphoreCounterValue(handle(), timeline, &value), "vkGetSemaphoreCounterValue");
  return value;
}

void NativeDevice::Await(VkSemaphore timeline, uint64_t value) const {
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline;
  info.pValues = &value;
  CheckVk(vk_.WaitSemaphores(handle(), &info, cts::kForever), "vkWaitSemaphores");
}

void NativeDevice::Submit(VkSemaphore timeline, uint64_t value) const {
  VkSemaphoreSubmitInfo signal{};
  signal.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
  signal.semaphore = timeline;
  signal.value = value;
  signal.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  VkSubmitInfo2 info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
  info.signalSemaphoreInfoCount = 1;
  info.pSignalSemaphoreInfos = &signal;
  CheckVk(vk_.QueueSubmit2(queue(), 1, &info, VK_NULL_HANDLE), "vkQueueSubmit2");
}

NativeBuffer NativeDevice::MakeBuffer(uint64_t size, VkBufferUsageFlags usage) {
  constexpr VkMemoryPropertyFlags kWanted =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  NativeBuffer made;
  made.size = size;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size;
  info.usage = usage;
  CheckVk(vk_.CreateBuffer(handle(), &info, nullptr, &made.buffer), "vkCreateBuffer");
  VkMemoryRequirements needs{};
  vk_.GetBufferMemoryRequirements(handle(), made.buffer, &needs);
  VkPhysicalDeviceMemoryProperties memory{};
  instance_vk_.GetPhysicalDeviceMemoryProperties(static_cast<VkPhysicalDevice>(told_.physical_device), &memory);
  while ((needs.memoryTypeBits >> made.type & 1) == 0 ||
         (memory.memoryTypes[made.type].propertyFlags & kWanted) != kWanted) {
    if (++made.type == memory.memoryTypeCount) throw std::runtime_error("no memory of the device that the host maps");
  }
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocation.pNext = &flags;
  allocation.allocationSize = needs.size;
  allocation.memoryTypeIndex = made.type;
  CheckVk(vk_.AllocateMemory(handle(), &allocation, nullptr, &made.memory), "vkAllocateMemory");
  CheckVk(vk_.BindBufferMemory(handle(), made.buffer, made.memory, 0), "vkBindBufferMemory");
  void* bytes = nullptr;
  CheckVk(vk_.MapMemory(handle(), made.memory, 0, VK_WHOLE_SIZE, 0, &bytes), "vkMapMemory");
  made.bytes = static_cast<uint8_t*>(bytes);
  return buffers_.emplace_back(made);
}

cts::Device OpenAnew(const std::string& parameters) {
  cts::Registry registry;
  cts::Device device;
  cts::Check(hal_registry_create(registry.out()), "hal_registry_create");
  cts::Check(hal_registry_create_device(registry, cts::View("vulkan://0" + parameters), 0, nullptr, device.out()),
             "hal_registry_create_device");
  return device;
}

void AwaitEndOfDevices() {
  hal_status_t status = hal_shutdown();
  while (status == HAL_STATUS_FAILED_PRECONDITION) status = hal_shutdown();
  cts::Check(status, "hal_shutdown");
}

const hal_vulkan_interop_interface_t& InteropOf(const cts::Device& device) {
  const void* table = nullptr;
  cts::Check(hal_device_query_interface(device, cts::View(HAL_VULKAN_INTEROP_INTERFACE), 1, &table),
             "query the extension");
  return *static_cast<const hal_vulkan_interop_interface_t*>(table);
}

size_t CountDescriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

}  // namespace halyard::vulkan
