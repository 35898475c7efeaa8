// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan_sim_test.h"

#include <cstdlib>

namespace halyard::vulkan_sim {

void VulkanSimTest::TearDown() {
  AwaitIdle();
  CleanUp();
  EXPECT_EQ(Report(), "");
  EXPECT_EQ(sim_.Objects(), 0U);
  for (const std::string& variable : variables_) unsetenv(variable.c_str());
}

void VulkanSimTest::CleanUp() {
  OpenGate();
  while (!cleanup_.empty()) {
    const std::function<void()> destroy = std::move(cleanup_.back());
    cleanup_.pop_back();
    destroy();
  }
  device_ = {};
}

// Lavapipe's threads lock timelines for a moment after they have signalled the last one.
void VulkanSimTest::AwaitIdle() {
  OpenGate();
  if (device_.handle != VK_NULL_HANDLE) vk_.DeviceWaitIdle(device_.handle);
}

void VulkanSimTest::Inside(const char* call, std::function<void()> work) {
  inside_ = std::move(work);
  sim_.Inside(
      call, [](void* function) { (*static_cast<std::function<void()>*>(function))(); }, &inside_);
}

void VulkanSimTest::Set(const char* variable, const char* value) {
  setenv(variable, value, 1);
  variables_.emplace_back(variable);
}

void VulkanSimTest::MakeInstance(const std::vector<const char*>& extensions) {
  const VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO, nullptr, "", 0, "", 0, VK_API_VERSION_1_3};
  VkInstanceCreateInfo info = {
      VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, nullptr, 0, &application, 0, nullptr, 0, nullptr};
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  ASSERT_VK(global_.CreateInstance(&info, nullptr, &instance_));
  vk_ = sim_.Functions(instance_);
  Later([this, instance = instance_] { vk_.DestroyInstance(instance, nullptr); });
}

std::vector<VkPhysicalDevice> VulkanSimTest::PhysicalDevices() {
  uint32_t count = 0;
  EXPECT_VK(vk_.EnumeratePhysicalDevices(instance_, &count, nullptr));
  std::vector<VkPhysicalDevice> devices(count);
  EXPECT_VK(vk_.EnumeratePhysicalDevices(instance_, &count, devices.data()));
  return devices;
}

VkPhysicalDeviceProperties2 VulkanSimTest::Properties(VkPhysicalDevice physical, void* chain) {
  VkPhysicalDeviceProperties2 properties = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, chain, {}};
  vk_.GetPhysicalDeviceProperties2(physical, &properties);
  return properties;
}

VkResult VulkanSimTest::TryMakeDevice(VkPhysicalDevice physical, const std::vector<const char*>& extensions,
                                      bool float64, OpenDevice& device) {
  uint32_t one = 1;
  VkQueueFamilyProperties family;
  vk_.GetPhysicalDeviceQueueFamilyProperties(physical, &one, &family);
  const std::vector<float> priorities(family.queueCount, 1.0F);
  const VkDeviceQueueCreateInfo queues = {
      VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, 0, family.queueCount, priorities.data()};
  VkPhysicalDeviceVulkan13Features features13 = {};
  features13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  features13.synchronization2 = VK_TRUE;
  VkPhysicalDeviceVulkan12Features features12 = {};
  features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  features12.pNext = &features13;
  features12.timelineSemaphore = features12.hostQueryReset = VK_TRUE;
  VkPhysicalDeviceFeatures2 features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features12, {}};
  features.features.shaderFloat64 = float64 ? VK_TRUE : VK_FALSE;
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queues;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  device.physical = physical;
  const VkResult result = vk_.CreateDevice(physical, &info, nullptr, &device.handle);
  if (result != VK_SUCCESS) return result;
  Later([this, made = device.handle] { vk_.DestroyDevice(made, nullptr); });
  device.queues.resize(family.queueCount);
  for (uint32_t i = 0; i < family.queueCount; ++i) vk_.GetDeviceQueue(device.handle, 0, i, &device.queues[i]);
  return result;
}

OpenDevice VulkanSimTest::MakeDevice(size_t physical, const std::vector<const char*>& extensions) {
  OpenDevice device;
  EXPECT_VK(TryMakeDevice(PhysicalDevices().at(physical), extensions, false, device));
  return device;
}

void VulkanSimTest::Open() {
  MakeInstance();
  device_ = MakeDevice();
}

Buffer VulkanSimTest::MakeBuffer() {
  Buffer buffer;
  const VkBufferCreateInfo info = {
      VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      nullptr,
      0,
      kSize,
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
      VK_SHARING_MODE_EXCLUSIVE,
      0,
      nullptr};
  EXPECT_VK(vk_.CreateBuffer(handle(), &info, nullptr, &buffer.handle));
  // Lavapipe has one type of memory, for all.
  const VkMemoryAllocateInfo memory = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, kSize, 0};
  EXPECT_VK(vk_.AllocateMemory(handle(), &memory, nullptr, &buffer.memory));
  EXPECT_VK(vk_.BindBufferMemory(handle(), buffer.handle, buffer.memory, 0));
  void* data = nullptr;
  EXPECT_VK(vk_.MapMemory(handle(), buffer.memory, 0, VK_WHOLE_SIZE, 0, &data));
  buffer.words = static_cast<uint32_t*>(data);
  Later([this, device = handle(), buffer] {
    vk_.DestroyBuffer(device, buffer.handle, nullptr);
    vk_.FreeMemory(device, buffer.memory, nullptr);
  });
  return buffer;
}

VkSemaphore VulkanSimTest::MakeTimeline(uint64_t value) {
  const VkSemaphoreTypeCreateInfo type = {VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                          VK_SEMAPHORE_TYPE_TIMELINE, value};
  const VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
  VkSemaphore semaphore = VK_NULL_HANDLE;
  EXPECT_VK(vk_.CreateSemaphore(handle(), &info, nullptr, &semaphore));
  Later([this, device = handle(), semaphore] { vk_.DestroySemaphore(device, semaphore, nullptr); });
  return semaphore;
}

VkFence VulkanSimTest::MakeFence() {
  const VkFenceCreateInfo info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
  VkFence fence = VK_NULL_HANDLE;
  EXPECT_VK(vk_.CreateFence(handle(), &info, nullptr, &fence));
  Later([this, device = handle(), fence] { vk_.DestroyFence(device, fence, nullptr); });
  return fence;
}

VkCommandPool VulkanSimTest::MakePool() {
  const VkCommandPoolCreateInfo info = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr,
                                        VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, 0};
  VkCommandPool pool = VK_NULL_HANDLE;
  EXPECT_VK(vk_.CreateCommandPool(handle(), &info, nullptr, &pool));
  Later([this, device = handle(), pool] { vk_.DestroyCommandPool(device, pool, nullptr); });
  return pool;
}

VkCommandBuffer VulkanSimTest::MakeCommands(VkCommandPool pool) {
  const VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool,
                                            VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  VkCommandBuffer commands = VK_NULL_HANDLE;
  EXPECT_VK(vk_.AllocateCommandBuffers(handle(), &info, &commands));
  return commands;
}

VkDescriptorSetLayout VulkanSimTest::MakeSetLayout() {
  const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
                                                nullptr};
  const VkDescriptorSetLayoutCreateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 1,
                                                &binding};
  VkDescriptorSetLayout layout = VK_NULL_HANDLE;
  EXPECT_VK(vk_.CreateDescriptorSetLayout(handle(), &info, nullptr, &layout));
  Later([this, device = handle(), layout] { vk_.DestroyDescriptorSetLayout(device, layout, nullptr); });
  return layout;
}

VkDescriptorPool VulkanSimTest::MakeDescriptorPool() {
  const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4};
  const VkDescriptorPoolCreateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, 4, 1, &size};
  VkDescriptorPool pool = VK_NULL_HANDLE;
  EXPECT_VK(vk_.CreateDescriptorPool(handle(), &info, nullptr, &pool));
  Later([this, device = handle(), pool] { vk_.DestroyDescriptorPool(device, pool, nullptr); });
  return pool;
}

VkDescriptorSet VulkanSimTest::MakeSet(VkDescriptorPool pool, VkDescriptorSetLayout layout) {
  const VkDescriptorSetAllocateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool, 1, &layout};
  VkDescriptorSet set = VK_NULL_HANDLE;
  EXPECT_VK(vk_.AllocateDescriptorSets(handle(), &info, &set));
  return set;
}

VkPipelineLayout VulkanSimTest::MakePipelineLayout(VkDescriptorSetLayout layout) {
  const VkPushConstantRange constants = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 128};
  const VkPipelineLayoutCreateInfo info = {
      VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, 1, &layout, 1, &constants};
  VkPipelineLayout pipeline_layout = VK_NULL_HANDLE;
  EXPECT_VK(vk_.CreatePipelineLayout(handle(), &info, nullptr, &pipeline_layout));
  Later([this, device = handle(), pipeline_layout] { vk_.DestroyPipelineLayout(device, pipeline_layout, nullptr); });
  return pipeline_layout;
}

void VulkanSimTest::Record(VkCommandBuffer commands, const std::function<void(VkCommandBuffer)>& record) {
  const VkCommandBufferBeginInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, nullptr};
  EXPECT_VK(vk_.BeginCommandBuffer(commands, &info));
  record(commands);
  EXPECT_VK(vk_.EndCommandBuffer(commands));
}

VkCommandBuffer VulkanSimTest::RecordFill(const Buffer& buffer, uint32_t word) {
  VkCommandBuffer commands = MakeCommands(MakePool());
  Record(commands, [&](VkCommandBuffer) {
    vk_.CmdFillBuffer(commands, buffer.handle, 0, VK_WHOLE_SIZE, word);
    const VkMemoryBarrier2 barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,   nullptr,
                                      VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                                      VK_PIPELINE_STAGE_2_HOST_BIT,         VK_ACCESS_2_HOST_READ_BIT};
    VkDependencyInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &barrier;
    vk_.CmdPipelineBarrier2(commands, &info);
  });
  return commands;
}

VkCommandBuffer VulkanSimTest::RecordGate() {
  const VkEventCreateInfo info = {VK_STRUCTURE_TYPE_EVENT_CREATE_INFO, nullptr, 0};
  EXPECT_VK(vk_.CreateEvent(handle(), &info, nullptr, &gate_));
  Later([this, device = handle(), gate = gate_] { vk_.DestroyEvent(device, gate, nullptr); });
  VkCommandBuffer commands = MakeCommands(MakePool());
  Record(commands, [&](VkCommandBuffer) {
    vk_.CmdWaitEvents(commands, 1, &gate_, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, nullptr,
                      0, nullptr, 0, nullptr);
  });
  return commands;
}

void VulkanSimTest::OpenGate() {
  if (gate_ == VK_NULL_HANDLE) return;
  EXPECT_VK(vk_.SetEvent(handle(), gate_));
  gate_ = VK_NULL_HANDLE;
}

VkResult VulkanSimTest::Submit(VkQueue queue, const std::vector<VkCommandBuffer>& commands,
                               const std::vector<Point>& waits, const std::vector<Point>& signals, VkFence fence) {
  const auto infos = [](const std::vector<Point>& points) {
    std::vector<VkSemaphoreSubmitInfo> all;
    for (const Point& point : points) {
      all.push_back({VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, point.semaphore, point.value,
                     VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, 0});
    }
    return all;
  };
  const std::vector<VkSemaphoreSubmitInfo> wait_infos = infos(waits);
  const std::vector<VkSemaphoreSubmitInfo> signal_infos = infos(signals);
  std::vector<VkCommandBufferSubmitInfo> command_infos;
  for (VkCommandBuffer each : commands) {
    command_infos.push_back({VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, each, 0});
  }
  const VkSubmitInfo2 info = {VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                              nullptr,
                              0,
                              static_cast<uint32_t>(wait_infos.size()),
                              wait_infos.data(),
                              static_cast<uint32_t>(command_infos.size()),
                              command_infos.data(),
                              static_cast<uint32_t>(signal_infos.size()),
                              signal_infos.data()};
  return vk_.QueueSubmit2(queue, 1, &info, fence);
}

VkResult VulkanSimTest::Wait(const Point& point, uint64_t timeout) {
  const VkSemaphoreWaitInfo info = {
      VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &point.semaphore, &point.value};
  return vk_.WaitSemaphores(handle(), &info, timeout);
}

uint64_t VulkanSimTest::Value(VkSemaphore timeline) {
  uint64_t value = 0;
  EXPECT_VK(vk_.GetSemaphoreCounterValue(handle(), timeline, &value));
  return value;
}

void VulkanSimTest::WriteSet(VkDescriptorSet set, VkBuffer buffer, VkDeviceSize offset) {
  const VkDescriptorBufferInfo info = {buffer, offset, 256};
  VkWriteDescriptorSet write = {};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = set;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = &info;
  vk_.UpdateDescriptorSets(handle(), 1, &write, 0, nullptr);
}

}  // namespace halyard::vulkan_sim
