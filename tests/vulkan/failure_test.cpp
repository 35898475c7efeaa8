// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold where a call or an allocation fails in the middle of something, and at the device's limits.
#include <cstdlib>
#include <string>
#include <vector>

#include "simulation.h"
#include "vulkan/device/vulkan_device.h"
#include "vulkan/recording/vulkan_commands.h"
#include "vulkan_test.h"

namespace halyard::vulkan {
namespace {

using cts::Buffer;
using cts::CommandBuffer;
using cts::Device;
using cts::Dispatch;
using cts::kNoWaits;
using cts::Ref;
using cts::Semaphore;

class FailureTest : public testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(simulation_.Reports(), 0u);
    unsetenv(kLimits);
    unsetenv(kDiscrete);
  }

  static constexpr const char* kLimits = "HALYARD_SIM_VULKAN_LIMITS";
  static constexpr const char* kDiscrete = "HALYARD_SIM_VULKAN_DISCRETE";
  const Simulation simulation_;
};

// What the device was given of it may still run: nothing that it uses goes before that has ended.
TEST_F(FailureTest, AnExecutionThatIsHandedOverInPartKeepsWhatItUses) {
  std::vector<char> bytes(size_t{64} << 20);
  cts::Counter released;
  {
    const Device device = OpenAnew("?commands_per_submission=1");
    hal_external_memory_t given = HAL_INIT(hal_external_memory_t);
    given.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
    given.handle = reinterpret_cast<uintptr_t>(bytes.data());
    given.length = bytes.size();
    const hal_buffer_params_t params = cts::Mappable(HAL_BUFFER_USAGE_TRANSFER);
    const auto release = [](void* counter) { static_cast<cts::Counter*>(counter)->Add(); };
    Buffer data;
    ASSERT_OK(hal_allocator_import(device.allocator(), &params, &given, release, &released, data.out()));
    const CommandBuffer commands = device.Record([&](const CommandBuffer& recording) {
      for (uint32_t i = 0; i < 2; ++i) {
        cts::Check(recording.Fill(Ref(data, 0, bytes.size()), i), "fill");
        cts::Check(recording.Barrier(), "barrier");
      }
    });
    const Semaphore done = device.CreateSemaphore();
    simulation_.Fail("vkQueueSubmit2", 2, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    ASSERT_OK(device.QueueExecute(kNoWaits, {{done, 1}}, commands));
    EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, done.Wait(1));
  }
  ASSERT_TRUE(released.WaitFor(1));
  EXPECT_EQ(simulation_.Calls("vkQueueSubmit2"), 3u) << "the first part, what failed, and what tells the end";
}

TEST_F(FailureTest, ABindingOfTheLargestRangeIsWithinTheDevicesLimit) {
  setenv(kLimits, "maxStorageBufferRange=4095", 1);
  const Device device = OpenAnew();
  const Buffer data = device.CreateBuffer(8192);
  const cts::Executable kernels = device.LoadKernels("basic");
  const Semaphore done = device.CreateSemaphore();
  const uint64_t longest = device.limits().max_binding_range;
  EXPECT_EQ(longest, 4095u);
  ASSERT_OK(device.QueueDispatch(kNoWaits, {{done, 1}}, kernels, "add_one", Dispatch().Bind(Ref(data, 0, longest))));
  ASSERT_OK(done.Wait(1));
  const Ref longer(data, 0, longest + 1);
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE,
                device.QueueDispatch(kNoWaits, {{done, 2}}, kernels, "add_one", Dispatch().Bind(longer)));
}

// A kernel copies groups of 16 bytes as they lie in the VkBuffer, and a command what is beside them. Barriers wait for
// both.
TEST_F(FailureTest, ACopyBesideGroupsOfAnImportIsATransfer) {
  setenv(kDiscrete, "1", 1);
  const Device device = OpenAnew();
  NativeDevice native(device);
  constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  const NativeBuffer memory = native.MakeBuffer(4096, kUsage);
  const auto work_at = [&](uint64_t offset) {
    hal_vulkan_buffer_t told = HAL_INIT(hal_vulkan_buffer_t);
    told.buffer = Number(memory.buffer);
    told.offset = offset;
    told.size = memory.size;
    told.usage = kUsage;
    told.memory_type_index = memory.type;
    told.memory = Number(memory.memory);
    hal_external_memory_t given = HAL_INIT(hal_external_memory_t);
    given.type = static_cast<hal_external_memory_type_t>(HAL_VULKAN_EXTERNAL_MEMORY_TYPE_BUFFER);
    given.handle = reinterpret_cast<uintptr_t>(&told);
    given.length = 1024;
    const hal_buffer_params_t params = cts::DeviceLocal(HAL_BUFFER_USAGE_TRANSFER);
    Buffer buffer;
    cts::Check(hal_allocator_import(device.allocator(), &params, &given, nullptr, nullptr, buffer.out()), "import");
    hal_command_t copy{};
    copy.type = HAL_COMMAND_TYPE_COPY;
    copy.u.copy = {Ref(buffer, 0, 256), Ref(buffer, 512, 256)};
    return WorkOf(static_cast<const VulkanDevice&>(*device.get()), copy);
  };
  EXPECT_EQ(work_at(16), kComputeWork);
  EXPECT_EQ(work_at(4), kComputeWork | kTransferWork);
}

}  // namespace
}  // namespace halyard::vulkan
