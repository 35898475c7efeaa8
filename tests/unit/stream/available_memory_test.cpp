// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much memory the heaps of a device say that they have left.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "unit/stream/memory_device.h"

namespace halyard::stream {
namespace {

class AvailableMemoryTest : public testing::Test {
 protected:
  hal_status_t Query() {
    size_t count = 0;
    hal_allocator_t* const allocator = hal_device_allocator(memory_.device.get());
    const hal_status_t status = hal_allocator_query_heaps(allocator, &count, nullptr);
    if (status != HAL_STATUS_OK) return status;
    heaps_.assign(count, HAL_INIT(hal_memory_heap_t));
    return hal_allocator_query_heaps(allocator, &count, heaps_.data());
  }

  const MemoryDevice memory_{"memory=1MiB"};
  std::vector<hal_memory_heap_t> heaps_;
};

TEST_F(AvailableMemoryTest, IsWhatTheBoundLeaves) {
  constexpr uint64_t kBound = uint64_t{1} << 20;
  const uint64_t free = std::min(kBound, AllTraits().total_memory / 2);
  ASSERT_EQ(Query(), HAL_STATUS_OK) << hal_last_error_message();
  ASSERT_FALSE(heaps_.empty());
  EXPECT_EQ(heaps_[0].available, free);
  const Ref<hal_buffer_t> buffer = MakeBuffer(memory_.device, kBound - 100, /*mappable=*/false);
  ASSERT_EQ(Query(), HAL_STATUS_OK) << hal_last_error_message();
  for (const hal_memory_heap_t& heap : heaps_) EXPECT_LE(heap.available, 100u);
  EXPECT_EQ(TakeReports(), "");
}

TEST_F(AvailableMemoryTest, FailureIsToldAndLossLosesTheDevice) {
  memory_.world->Fail("AvailableMemory", HAL_STATUS_INTERNAL);
  EXPECT_EQ(Query(), HAL_STATUS_INTERNAL);
  EXPECT_EQ(hal_device_query_health(memory_.device.get()), HAL_STATUS_OK);
  memory_.world->Fail("AvailableMemory", HAL_STATUS_DEVICE_LOST);
  EXPECT_EQ(Query(), HAL_STATUS_DEVICE_LOST);
  EXPECT_EQ(hal_device_query_health(memory_.device.get()), HAL_STATUS_DEVICE_LOST);
}

}  // namespace
}  // namespace halyard::stream
