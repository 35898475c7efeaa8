// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices that are lost while they work: what they may still use.
#include <vector>

#include "simulation.h"
#include "vulkan/device/vulkan_device.h"
#include "vulkan_test.h"

namespace halyard::vulkan {
namespace {

using cts::Buffer;
using cts::Device;
using cts::kNoWaits;
using cts::Ref;
using cts::Semaphore;
using testing::HasSubstr;

class LossTest : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(simulation_.Reports(), 0u); }

  static VulkanDevice& Internals(const Device& device) { return *static_cast<VulkanDevice*>(device.get()); }
  /// Memory of the test, whose release is counted.
  Buffer ImportBytes(const Device& device) {
    hal_external_memory_t given = HAL_EXTERNAL_MEMORY_INIT;
    given.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
    given.handle = reinterpret_cast<uintptr_t>(bytes_.data());
    given.length = bytes_.size();
    const hal_buffer_params_t params = cts::Mappable(HAL_BUFFER_USAGE_TRANSFER);
    const auto release = [](void* counter) { static_cast<cts::Counter*>(counter)->Add(); };
    Buffer imported;
    cts::Check(hal_allocator_import(device.allocator(), &params, &given, release, &released_, imported.out()),
               "hal_allocator_import");
    return imported;
  }

  const Simulation simulation_;
  std::vector<char> bytes_ = std::vector<char>(4096);
  cts::Counter released_;
};

TEST_F(LossTest, ARecordingThatTheDeviceMayUseServesNoOther) {
  const Device device = OpenVulkan();
  const Semaphore done = device.CreateSemaphore();
  Buffer buffer = ImportBytes(device);
  simulation_.LoseAt(1, HALYARD_SIM_LOSS_SILENT);
  ASSERT_OK(device.QueueFill(kNoWaits, {{done, 1}}, Ref(buffer, 0, bytes_.size()), uint8_t{1}));
  buffer.reset();
  EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, done.Wait(1));
  ASSERT_TRUE(released_.WaitFor(1)) << "the operation has ended";
  VulkanRecording* recording = nullptr;
  ASSERT_OK(Internals(device).recordings().Acquire(&recording));
  EXPECT_TRUE(recording->parts().empty()) << "it was used before";
}

}  // namespace
}  // namespace halyard::vulkan
