// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests share: an instance and a device with its queues, buffers, timelines, command buffers, and a gate that
// keeps work pending.
#ifndef HALYARD_TESTS_SIM_VULKAN_UNIT_VULKAN_SIM_TEST_H_
#define HALYARD_TESTS_SIM_VULKAN_UNIT_VULKAN_SIM_TEST_H_

#include <functional>
#include <string>
#include <vector>

#include "unit/sim_test.h"
#include "vulkan_sim.h"

namespace halyard::vulkan_sim {

#define EXPECT_VK(call) EXPECT_EQ((call), VK_SUCCESS)
#define ASSERT_VK(call) ASSERT_EQ((call), VK_SUCCESS)

struct Buffer {
  VkBuffer handle = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  uint32_t* words = nullptr;  // mapped
};

struct Point {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  uint64_t value = 0;
};

/// A logical device with all queues of its first family.
struct OpenDevice {
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice handle = VK_NULL_HANDLE;
  std::vector<VkQueue> queues;
};

/// Every test ends with everything destroyed, and nothing reported except what it took by TakeReports().
class VulkanSimTest : public sim::SimTest {
 protected:
  static constexpr VkDeviceSize kSize = 4096;  // bytes of a buffer

  VulkanSimTest() : SimTest(VulkanSim::Get()) {}

  void SetUp() override { sim_.Reset(); }
  void TearDown() override;

  /// A variable of the environment until the test ends. Instances made later have it.
  void Set(const char* variable, const char* value);
  void MakeInstance(const std::vector<const char*>& extensions = {});
  std::vector<VkPhysicalDevice> PhysicalDevices();
  VkPhysicalDeviceProperties2 Properties(VkPhysicalDevice physical, void* chain = nullptr);
  VkResult TryMakeDevice(VkPhysicalDevice physical, const std::vector<const char*>& extensions, bool float64,
                         OpenDevice& device);
  OpenDevice MakeDevice(size_t physical = 0, const std::vector<const char*>& extensions = {});
  /// An instance, and the first device as device_.
  void Open();

  Buffer MakeBuffer();
  VkSemaphore MakeTimeline(uint64_t value = 0);
  VkFence MakeFence();
  VkCommandPool MakePool();
  VkCommandBuffer MakeCommands(VkCommandPool pool);
  VkDescriptorSetLayout MakeSetLayout();
  VkDescriptorPool MakeDescriptorPool();
  VkDescriptorSet MakeSet(VkDescriptorPool pool, VkDescriptorSetLayout layout);
  VkPipelineLayout MakePipelineLayout(VkDescriptorSetLayout layout);

  /// Records commands in a command buffer.
  void Record(VkCommandBuffer commands, const std::function<void(VkCommandBuffer)>& record);
  /// A command buffer that fills a buffer with a word, and makes it visible to the host.
  VkCommandBuffer RecordFill(const Buffer& buffer, uint32_t word);
  /// A command buffer that does not end before OpenGate().
  VkCommandBuffer RecordGate();
  void OpenGate();

  VkResult Submit(VkQueue queue, const std::vector<VkCommandBuffer>& commands, const std::vector<Point>& waits,
                  const std::vector<Point>& signals, VkFence fence = VK_NULL_HANDLE);
  VkResult Wait(const Point& point, uint64_t timeout = 1'000'000'000);
  uint64_t Value(VkSemaphore timeline);
  void WriteSet(VkDescriptorSet set, VkBuffer buffer, VkDeviceSize offset = 0);

  /// Does something in the middle of the next call of a function.
  void Inside(const char* call, std::function<void()> work);

  /// Has something destroyed when the test ends, before what was made earlier.
  void Later(std::function<void()> destroy) { cleanup_.push_back(std::move(destroy)); }
  /// Runs what destroys, in that order. The device and the instance are first to be made and last to go.
  void CleanUp();

  const VulkanSim& sim_ = VulkanSim::Get();
  const VulkanFunctions global_ = sim_.Functions(VK_NULL_HANDLE);  // those that need no instance
  VulkanFunctions vk_;                                             // all others
  VkInstance instance_ = VK_NULL_HANDLE;
  OpenDevice device_;

 private:
  VkDevice handle() const { return device_.handle; }
  void AwaitIdle();

  std::vector<std::string> variables_;
  std::function<void()> inside_;
  std::vector<std::function<void()>> cleanup_;
  VkEvent gate_ = VK_NULL_HANDLE;
};

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_UNIT_VULKAN_SIM_TEST_H_
