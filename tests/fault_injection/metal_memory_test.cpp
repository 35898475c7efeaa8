// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU with less memory than the device was told: Metal makes no buffer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "fault_injection/simulated_test.h"

namespace halyard::fault_injection {
namespace {

using testing::HasSubstr;

constexpr uint64_t kMiB = uint64_t{1} << 20;  // bytes

class ShortMemoryTest : public SimulatedTest {
 protected:
  void SetUp() override {
    SimulatedTest::SetUp();
    device_ = Witness("metal", "memory=1GiB&pool=32MiB").Open();
  }
  void TearDown() override {
    device_ = {};
    SimulatedTest::TearDown();
  }

  cts::Device device_;
};

TEST_F(ShortMemoryTest, AllocationsFailAndTheDeviceGoesOn) {
  const hal_buffer_params_t params = cts::DeviceLocal();
  std::vector<cts::Buffer> buffers;
  hal_status_t status = HAL_STATUS_OK;
  while (status == HAL_STATUS_OK && buffers.size() < 100) {
    status = hal_allocator_allocate(device_.allocator(), &params, 8 * kMiB, buffers.emplace_back().out());
  }
  EXPECT_EQ(status, HAL_STATUS_RESOURCE_EXHAUSTED);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("newBufferWithLength returned nil"));
  buffers.resize(2);
  ExpectWorks(device_, 3);
  const cts::Buffer again = device_.CreateBuffer(8 * kMiB);
}

TEST_F(ShortMemoryTest, QueueAllocationsFailTheirSemaphores) {
  constexpr uint64_t kCount = 20;
  std::vector<cts::Buffer> buffers(kCount);
  std::vector<cts::Semaphore> semaphores;
  for (cts::Buffer& buffer : buffers) {
    semaphores.push_back(device_.CreateSemaphore());
    ASSERT_EQ(device_.QueueAlloca(cts::kNoWaits, {{semaphores.back(), 1}}, 8 * kMiB, &buffer), HAL_STATUS_OK);
  }
  size_t failed = 0;
  for (const cts::Semaphore& semaphore : semaphores) {
    const hal_status_t status = semaphore.Wait(1);
    if (status == HAL_STATUS_OK) continue;
    ++failed;
    EXPECT_EQ(status, HAL_STATUS_RESOURCE_EXHAUSTED);
    EXPECT_THAT(hal_last_error_message(), HasSubstr("newBufferWithLength returned nil"));
  }
  EXPECT_GE(failed, kCount - 8);
  EXPECT_LT(failed, kCount);
  buffers.clear();
  ExpectWorks(device_, 4);
}

TEST_F(ShortMemoryTest, CachedBlocksMakeRoom) {
  const auto time = device_.CreateSemaphore();
  cts::Buffer buffer;
  ASSERT_EQ(device_.QueueAlloca(cts::kNoWaits, {{time, 1}}, 32 * kMiB, &buffer), HAL_STATUS_OK);
  ASSERT_EQ(device_.QueueDealloca({{time, 1}}, {{time, 2}}, buffer), HAL_STATUS_OK);
  ASSERT_EQ(time.Wait(2), HAL_STATUS_OK) << hal_last_error_message();
  const cts::Buffer large = device_.CreateBuffer(48 * kMiB);
}

}  // namespace
}  // namespace halyard::fault_injection
