// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls are counted, fail by plan, and are refused with destroyed objects.
#include <array>

#include "vulkan_sim_test.h"

namespace halyard::vulkan_sim {
namespace {

class CallsTest : public VulkanSimTest {};

TEST_F(CallsTest, FillsABuffer) {
  Open();
  const Buffer buffer = MakeBuffer();
  const VkSemaphore timeline = MakeTimeline();
  ASSERT_VK(Submit(device_.queues[0], {RecordFill(buffer, 7)}, {}, {{timeline, 1}}));
  ASSERT_VK(Wait({timeline, 1}));
  EXPECT_EQ(buffer.words[0], 7U);
  EXPECT_EQ(buffer.words[kSize / 4 - 1], 7U);
}

TEST_F(CallsTest, ListedFunctionsAreTheSameByEitherLookup) {
  Open();
  EXPECT_EQ(sim_.GetDeviceProcAddr(device_.handle, "vkCreateBuffer"),
            reinterpret_cast<PFN_vkVoidFunction>(vk_.CreateBuffer));
  EXPECT_EQ(sim_.GetInstanceProcAddr(instance_, "vkQueueSubmit2KHR"),
            reinterpret_cast<PFN_vkVoidFunction>(vk_.QueueSubmit2))
      << "the extension's name";
  EXPECT_NE(sim_.GetDeviceProcAddr(device_.handle, "vkCmdDraw"), nullptr) << "not listed, and the real one";
  EXPECT_EQ(sim_.GetInstanceProcAddr(instance_, "vkNoSuchFunction"), nullptr);
}

TEST_F(CallsTest, ExportedFunctionsAreCountedToo) {
  uint32_t version = 0;
  EXPECT_VK(sim_.EnumerateInstanceVersion(&version));
  EXPECT_GE(version, VK_API_VERSION_1_3);
  EXPECT_EQ(sim_.Calls("vkEnumerateInstanceVersion"), 1U);
  sim_.Fail("vkCreateInstance", 1, VK_ERROR_INCOMPATIBLE_DRIVER);
  EXPECT_EQ(sim_.CreateInstance(nullptr, nullptr, nullptr), VK_ERROR_INCOMPATIBLE_DRIVER);
}

TEST_F(CallsTest, CountMessengers) {
  MakeInstance({VK_EXT_DEBUG_UTILS_EXTENSION_NAME});
  VkDebugUtilsMessengerCreateInfoEXT info = {};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  info.pfnUserCallback = [](VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                            const VkDebugUtilsMessengerCallbackDataEXT*, void*) -> VkBool32 { return VK_FALSE; };
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
  ASSERT_VK(vk_.CreateDebugUtilsMessengerEXT(instance_, &info, nullptr, &messenger));
  EXPECT_EQ(sim_.Objects(), 2U);
  vk_.DestroyDebugUtilsMessengerEXT(instance_, messenger, nullptr);
  EXPECT_EQ(sim_.Objects(), 1U);
}

TEST_F(CallsTest, AreCountedByName) {
  Open();
  sim_.Reset();
  MakeTimeline();
  MakeTimeline();
  EXPECT_EQ(sim_.Calls("vkCreateSemaphore"), 2U);
  EXPECT_EQ(sim_.Calls("vkDestroySemaphore"), 0U);
  EXPECT_EQ(sim_.Calls(nullptr), 2U);
}

TEST_F(CallsTest, TheNthFailsAndDoesNothing) {
  Open();
  const uint64_t objects = sim_.Objects();
  const VkFenceCreateInfo info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
  sim_.Fail("vkCreateFence", 2, VK_ERROR_OUT_OF_HOST_MEMORY);
  MakeFence();
  VkFence fence = VK_NULL_HANDLE;
  EXPECT_EQ(vk_.CreateFence(device_.handle, &info, nullptr, &fence), VK_ERROR_OUT_OF_HOST_MEMORY);
  EXPECT_EQ(fence, VK_NULL_HANDLE);
  EXPECT_EQ(sim_.Failures(), 1U);
  EXPECT_STREQ(sim_.FailedCall(), "vkCreateFence");
  MakeFence();
  EXPECT_EQ(sim_.Objects(), objects + 2);
}

TEST_F(CallsTest, WithoutResultAreSkippedByAPlanForAll) {
  Open();
  VkFence fence = VK_NULL_HANDLE;
  const VkFenceCreateInfo info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
  ASSERT_VK(vk_.CreateFence(device_.handle, &info, nullptr, &fence));
  sim_.Fail(nullptr, 1, VK_ERROR_DEVICE_LOST);
  vk_.DestroyFence(device_.handle, fence, nullptr);
  EXPECT_EQ(sim_.Failures(), 0U);
  EXPECT_EQ(vk_.DeviceWaitIdle(device_.handle), VK_ERROR_DEVICE_LOST);
}

TEST_F(CallsTest, CountPipelines) {
  Open();
  // An empty kernel.
  static constexpr auto kWords = std::to_array<uint32_t>(
      {0x07230203, 0x00010000, 0,          5, 0,  0x00020011, 1, 0x0003000e, 0,          1, 0x0005000f, 5, 1,
       0x6e69616d, 0,          0x00060010, 1, 17, 1,          1, 1,          0x00020013, 2, 0x00030021, 3, 2,
       0x00050036, 2,          1,          0, 3,  0x000200f8, 4, 0x000100fd, 0x00010038});
  const VkShaderModuleCreateInfo module_info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, sizeof kWords,
                                                kWords.data()};
  VkShaderModule module = VK_NULL_HANDLE;
  ASSERT_VK(vk_.CreateShaderModule(device_.handle, &module_info, nullptr, &module));
  const VkPipelineShaderStageCreateInfo stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                 nullptr,
                                                 0,
                                                 VK_SHADER_STAGE_COMPUTE_BIT,
                                                 module,
                                                 "main",
                                                 nullptr};
  const VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                            nullptr,
                                            0,
                                            stage,
                                            MakePipelineLayout(MakeSetLayout()),
                                            VK_NULL_HANDLE,
                                            0};
  VkPipeline pipeline = VK_NULL_HANDLE;
  const uint64_t objects = sim_.Objects();
  ASSERT_VK(vk_.CreateComputePipelines(device_.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
  EXPECT_EQ(sim_.Objects(), objects + 1);
  vk_.DestroyPipeline(device_.handle, pipeline, nullptr);
  vk_.DestroyShaderModule(device_.handle, module, nullptr);
  EXPECT_EQ(sim_.Objects(), objects - 1);
}

TEST_F(CallsTest, ReportLeaks) {
  Open();
  const VkFenceCreateInfo info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
  VkFence fence = VK_NULL_HANDLE;
  ASSERT_VK(vk_.CreateFence(device_.handle, &info, nullptr, &fence));
  sim_.CheckLeaks();
  EXPECT_EQ(Report(), "leak: 1 VkDevice, 1 VkFence, 1 VkInstance\n");
  EXPECT_EQ(TakeReports("leak"), 1U);
  CleanUp();
  EXPECT_EQ(Report(), "leak: 1 VkFence when the device was destroyed\n");
  EXPECT_EQ(TakeReports("leak"), 1U);
}

TEST_F(CallsTest, AreRefusedWithDestroyedObjects) {
  Open();
  const VkFenceCreateInfo info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
  VkFence fence = VK_NULL_HANDLE;
  ASSERT_VK(vk_.CreateFence(device_.handle, &info, nullptr, &fence));
  vk_.DestroyFence(device_.handle, fence, nullptr);
  vk_.DestroyFence(device_.handle, fence, nullptr);
  EXPECT_EQ(TakeReports("invalid-handle"), 1U);
  EXPECT_EQ(vk_.GetFenceStatus(device_.handle, fence), VK_ERROR_UNKNOWN);
  EXPECT_EQ(Submit(device_.queues[0], {}, {}, {}, fence), VK_ERROR_UNKNOWN);
  EXPECT_EQ(TakeReports("invalid-handle"), 2U);
}

TEST_F(CallsTest, AreRefusedWithDestroyedPools) {
  Open();
  const VkCommandPoolCreateInfo info = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, 0};
  VkCommandPool pool = VK_NULL_HANDLE;
  ASSERT_VK(vk_.CreateCommandPool(device_.handle, &info, nullptr, &pool));
  VkCommandBuffer commands = MakeCommands(pool);
  vk_.DestroyCommandPool(device_.handle, pool, nullptr);
  EXPECT_EQ(Submit(device_.queues[0], {commands}, {}, {}), VK_ERROR_UNKNOWN);
  vk_.FreeCommandBuffers(device_.handle, pool, 1, &commands);
  EXPECT_EQ(TakeReports("invalid-handle"), 2U);
}

TEST_F(CallsTest, AreRefusedWithADestroyedDevice) {
  MakeInstance();
  const OpenDevice device = MakeDevice();
  vk_.DestroyDevice(device.handle, nullptr);
  EXPECT_EQ(vk_.DeviceWaitIdle(device.handle), VK_ERROR_UNKNOWN);
  EXPECT_EQ(Submit(device.queues[0], {}, {}, {}), VK_ERROR_UNKNOWN);
  CleanUp();  // destroys the device again
  EXPECT_EQ(TakeReports("invalid-handle"), 3U);
}

using CallsDeathTest = CallsTest;

TEST_F(CallsDeathTest, ReportsEndTheProcessWithAStatus) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("HALYARD_SIM_REPORT", "1", 1);
        MakeInstance();
        static_cast<void>(MakeDevice());
        std::exit(0);
      },
      testing::ExitedWithCode(97), "leak: .*1 VkDevice");
}

}  // namespace
}  // namespace halyard::vulkan_sim
