// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Managed memory, which discrete GPUs have: a copy on each side. Each side sees what the other one wrote, time after
// time.
#include <cstring>

#include "metal_test.h"

namespace halyard::metal {
namespace {

using cts::Buffer;
using cts::Device;
using cts::Semaphore;

constexpr uint64_t kLength = 64;  // bytes

class ManagedMemoryTest : public MetalTest {
 protected:
  static Buffer Managed(const Device& device) {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.memory_type = HAL_MEMORY_TYPE_DEVICE_LOCAL | HAL_MEMORY_TYPE_HOST_VISIBLE | HAL_MEMORY_TYPE_HOST_COHERENT;
    params.usage = HAL_BUFFER_USAGE_DEFAULT | HAL_BUFFER_USAGE_MAPPING;
    return device.CreateBuffer(kLength, params);
  }
  static uint32_t* Map(const Buffer& buffer, hal_map_access_t access) {
    void* mapped = nullptr;
    EXPECT_OK(hal_buffer_map(buffer, access, 0, kLength, &mapped));
    return static_cast<uint32_t*>(mapped);
  }
};

TEST_F(ManagedMemoryTest, TheDeviceSeesEachWriteOfTheHost) {
  const Device device = Open();
  const Buffer managed = Managed(device);
  const Buffer other = device.CreateBuffer(kLength);
  const Semaphore done = device.CreateSemaphore();
  uint32_t* const kept = Map(managed, HAL_MAP_ACCESS_READ | HAL_MAP_ACCESS_WRITE);
  for (uint32_t round = 1; round <= 3; ++round) {
    kept[3] = round;  // the mapping stays open
    ASSERT_OK(device.QueueCopy({}, {{done, round}}, managed, other));
    ASSERT_OK(done.Wait(round));
    EXPECT_EQ(device.Download<uint32_t>(other)[3], round);
  }
  EXPECT_OK(hal_buffer_unmap(managed));
}

TEST_F(ManagedMemoryTest, TheHostSeesEachWriteOfTheDevice) {
  const Device device = Open();
  const Buffer managed = Managed(device);
  const Semaphore done = device.CreateSemaphore();
  for (uint32_t round = 1; round <= 3; ++round) {
    ASSERT_OK(device.QueueFill({}, {{done, round}}, managed, round));
    ASSERT_OK(done.Wait(round));
    EXPECT_EQ(Map(managed, HAL_MAP_ACCESS_READ)[5], round);
    EXPECT_OK(hal_buffer_unmap(managed));
  }
}

}  // namespace
}  // namespace halyard::metal
