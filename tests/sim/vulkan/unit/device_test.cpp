// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several devices over one, and devices that have less than the real one.
#include <algorithm>
#include <cstring>

#include "vulkan_sim_test.h"

namespace halyard::vulkan_sim {
namespace {

class DeviceTest : public VulkanSimTest {
 protected:
  std::vector<std::string> Extensions(VkPhysicalDevice physical) {
    uint32_t count = 0;
    EXPECT_VK(vk_.EnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr));
    std::vector<VkExtensionProperties> properties(count);
    EXPECT_VK(vk_.EnumerateDeviceExtensionProperties(physical, nullptr, &count, properties.data()));
    std::vector<std::string> names;
    for (const VkExtensionProperties& each : properties) names.emplace_back(each.extensionName);
    return names;
  }

  VkPhysicalDeviceVulkan12Features Features12(VkPhysicalDevice physical) {
    VkPhysicalDeviceVulkan12Features features = {};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    VkPhysicalDeviceFeatures2 chained = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features, {}};
    vk_.GetPhysicalDeviceFeatures2(physical, &chained);
    return features;
  }

  std::string Uuid(VkPhysicalDevice physical) {
    VkPhysicalDeviceIDProperties id = {};
    id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    Properties(physical, &id);
    return std::string(reinterpret_cast<const char*>(id.deviceUUID), VK_UUID_SIZE);
  }
};

TEST_F(DeviceTest, ThereAreAsManyAsTheSettingSays) {
  Set("HALYARD_SIM_DEVICES", "2");
  MakeInstance();
  const std::vector<VkPhysicalDevice> devices = PhysicalDevices();
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_NE(devices[0], devices[1]);
  EXPECT_NE(Uuid(devices[0]), Uuid(devices[1]));
  EXPECT_STREQ(Properties(devices[0]).properties.deviceName, Properties(devices[1]).properties.deviceName);
  EXPECT_EQ(PhysicalDevices(), devices) << "the same handles each time";
  uint32_t groups = 0;
  EXPECT_VK(vk_.EnumeratePhysicalDeviceGroups(instance_, &groups, nullptr));
  EXPECT_EQ(groups, 2U);
}

TEST_F(DeviceTest, WorkWithoutEachOther) {
  Set("HALYARD_SIM_DEVICES", "2");
  MakeInstance();
  const OpenDevice devices[] = {MakeDevice(0), MakeDevice(1)};
  EXPECT_NE(devices[0].handle, devices[1].handle);
  for (const OpenDevice& device : devices) {
    device_ = device;
    const Buffer buffer = MakeBuffer();
    const VkSemaphore timeline = MakeTimeline();
    ASSERT_VK(Submit(device.queues[0], {RecordFill(buffer, 5)}, {}, {{timeline, 1}}));
    ASSERT_VK(Wait({timeline, 1}));
    EXPECT_EQ(buffer.words[1], 5U);
    ASSERT_VK(vk_.DeviceWaitIdle(device.handle));
  }
}

TEST_F(DeviceTest, LackHiddenExtensions) {
  MakeInstance();
  const char* const name = VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME;
  ASSERT_TRUE(std::ranges::count(Extensions(PhysicalDevices()[0]), name)) << "lavapipe has it";
  CleanUp();
  Set("HALYARD_SIM_VULKAN_HIDE", "VK_EXT_calibrated_timestamps,VK_EXT_debug_utils");
  MakeInstance();
  const VkPhysicalDevice physical = PhysicalDevices()[0];
  EXPECT_FALSE(std::ranges::count(Extensions(physical), name));
  OpenDevice device;
  EXPECT_EQ(TryMakeDevice(physical, {name}, false, device), VK_ERROR_EXTENSION_NOT_PRESENT);
  uint32_t count = 0;
  EXPECT_VK(global_.EnumerateInstanceExtensionProperties(nullptr, &count, nullptr));
  std::vector<VkExtensionProperties> properties(count);
  EXPECT_VK(global_.EnumerateInstanceExtensionProperties(nullptr, &count, properties.data()));
  EXPECT_TRUE(std::ranges::none_of(properties, [](const VkExtensionProperties& each) {
    return std::strcmp(each.extensionName, VK_EXT_DEBUG_UTILS_EXTENSION_NAME) == 0;
  }));
}

TEST_F(DeviceTest, LackHiddenFeatures) {
  MakeInstance();
  ASSERT_TRUE(Features12(PhysicalDevices()[0]).hostQueryReset) << "lavapipe has it";
  CleanUp();
  Set("HALYARD_SIM_VULKAN_HIDE", "shaderFloat64,hostQueryReset");
  MakeInstance();
  const VkPhysicalDevice physical = PhysicalDevices()[0];
  VkPhysicalDeviceFeatures core;
  vk_.GetPhysicalDeviceFeatures(physical, &core);
  EXPECT_FALSE(core.shaderFloat64);
  EXPECT_TRUE(core.shaderInt64);
  EXPECT_FALSE(Features12(physical).hostQueryReset);
  OpenDevice device;
  EXPECT_EQ(TryMakeDevice(physical, {}, false, device), VK_ERROR_FEATURE_NOT_PRESENT) << "it asks for hostQueryReset";
  CleanUp();
  Set("HALYARD_SIM_VULKAN_HIDE", "shaderFloat64");
  MakeInstance();
  EXPECT_EQ(TryMakeDevice(PhysicalDevices()[0], {}, true, device), VK_ERROR_FEATURE_NOT_PRESENT);
}

TEST_F(DeviceTest, AreNarrow) {
  Set("HALYARD_SIM_VULKAN_NARROW", "1");
  Set("HALYARD_SIM_VULKAN_LIMITS", "maxStorageBufferRange=65536");
  Open();
  const VkPhysicalDeviceLimits limits = Properties(device_.physical).properties.limits;
  EXPECT_EQ(limits.minStorageBufferOffsetAlignment, 256U);
  EXPECT_EQ(limits.nonCoherentAtomSize, 256U);
  EXPECT_EQ(limits.maxPushConstantsSize, 128U);
  EXPECT_EQ(limits.maxPerStageDescriptorStorageBuffers, 4U);
  EXPECT_EQ(limits.maxStorageBufferRange, 65536U);
  EXPECT_FALSE(limits.timestampComputeAndGraphics);
  EXPECT_TRUE(Extensions(device_.physical).empty());
  uint32_t one = 1;
  VkQueueFamilyProperties family;
  vk_.GetPhysicalDeviceQueueFamilyProperties(device_.physical, &one, &family);
  EXPECT_EQ(family.timestampValidBits, 0U);
  VkPhysicalDeviceMemoryProperties memory;
  vk_.GetPhysicalDeviceMemoryProperties(device_.physical, &memory);
  for (const VkMemoryType& type : memory.memoryTypes) {
    EXPECT_FALSE(type.propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  }
  VkMemoryRequirements requirements;
  vk_.GetBufferMemoryRequirements(device_.handle, MakeBuffer().handle, &requirements);
  EXPECT_EQ(requirements.alignment % 256, 0U);
}

TEST_F(DeviceTest, HaveAsMuchMemoryAsTheSettingSays) {
  Set("HALYARD_SIM_MEMORY", "8192");
  Open();
  VkPhysicalDeviceMemoryProperties memory;
  vk_.GetPhysicalDeviceMemoryProperties(device_.physical, &memory);
  EXPECT_EQ(memory.memoryHeaps[0].size, 8192U);
  static_assert(2 * kSize == 8192);
  MakeBuffer();
  const VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, kSize + 1, 0};
  VkDeviceMemory refused = VK_NULL_HANDLE;
  EXPECT_EQ(vk_.AllocateMemory(device_.handle, &info, nullptr, &refused), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  MakeBuffer();
}

TEST_F(DeviceTest, OfTwoInstancesHaveTheirOwnSettings) {
  Set("HALYARD_SIM_VULKAN_QUEUES", "3");
  Open();
  const OpenDevice first = device_;
  Set("HALYARD_SIM_VULKAN_QUEUES", "2");
  Open();
  EXPECT_EQ(first.queues.size(), 3U);
  EXPECT_EQ(device_.queues.size(), 2U);
  EXPECT_VK(vk_.QueueWaitIdle(first.queues[2]));
  EXPECT_VK(vk_.QueueWaitIdle(device_.queues[1]));
}

TEST_F(DeviceTest, ReportSettingsWithoutEffect) {
  Set("HALYARD_SIM_VULKAN_HIDE", "shaderFloat65,VK_EXT_any_extension");
  Set("HALYARD_SIM_VULKAN_LIMITS", "maxSize=1");
  MakeInstance();
  EXPECT_EQ(TakeReports("setting"), 2U);
}

TEST_F(DeviceTest, ReportWhatIsBeyondTheirLimits) {
  Set("HALYARD_SIM_VULKAN_LIMITS",
      "minStorageBufferOffsetAlignment=256,maxPushConstantsSize=64,maxPerStageDescriptorStorageBuffers=0,"
      "maxStorageBufferRange=128");
  Open();
  const VkDescriptorSetLayout layout = MakeSetLayout();
  EXPECT_EQ(TakeReports("limit"), 1U);
  MakePipelineLayout(layout);
  EXPECT_EQ(TakeReports("limit"), 1U);
  WriteSet(MakeSet(MakeDescriptorPool(), layout), MakeBuffer().handle, 128);
  EXPECT_EQ(TakeReports("limit"), 2U) << "offset and range";
}

TEST_F(DeviceTest, ReportDescriptorsWithoutABuffer) {
  Set("HALYARD_SIM_VULKAN_HIDE", "nullDescriptor");
  Open();
  WriteSet(MakeSet(MakeDescriptorPool(), MakeSetLayout()), VK_NULL_HANDLE, 0);
  EXPECT_EQ(TakeReports("descriptor"), 2U) << "the feature, and the range, which is not VK_WHOLE_SIZE";
}

TEST_F(DeviceTest, TellTheBudgetOfTheSetting) {
  Set("HALYARD_SIM_VULKAN_BUDGET", "1000000");
  Open();
  EXPECT_TRUE(std::ranges::count(Extensions(device_.physical), VK_EXT_MEMORY_BUDGET_EXTENSION_NAME));
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {};
  budget.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
  VkPhysicalDeviceMemoryProperties2 memory = {};
  memory.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
  memory.pNext = &budget;
  vk_.GetPhysicalDeviceMemoryProperties2(device_.physical, &memory);
  EXPECT_EQ(budget.heapBudget[0], 1000000U);
  const VkDeviceSize before = budget.heapUsage[0];
  MakeBuffer();
  vk_.GetPhysicalDeviceMemoryProperties2(device_.physical, &memory);
  EXPECT_EQ(budget.heapUsage[0], before + kSize);
}

}  // namespace
}  // namespace halyard::vulkan_sim
