// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of queue allocations: which blocks are cached, and which go back to the system.
#include "submission/block_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "driver_kit/object/object.h"
#include "halyard/halyard.h"
#include "unit/submission/batch_device.h"
#include "unit/submission/batch_lane.h"

namespace halyard {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A block that notes its end.
struct NotedBlock final : MemoryBlock {
  NotedBlock(uint64_t count, std::vector<uint64_t>& ended) : number(count), ended_(ended) {}
  ~NotedBlock() override { ended_.push_back(number); }

  const uint64_t number;  // counts the blocks of a memory, from 1

 private:
  std::vector<uint64_t>& ended_;
};

class NotedMemory final : public BlockMemory {
 public:
  NotedMemory(SubmissionDevice& device, uint64_t capacity, uint64_t cached) : BlockMemory(device, capacity, cached) {}
  ~NotedMemory() { DropAll(); }

  uint64_t made = 0;
  std::vector<uint64_t> ended;  // the numbers of blocks, in the order of their ends

 private:
  Status MakeBlock(const BlockRequest& /*request*/, MemoryBlock** out_block) override {
    *out_block = new NotedBlock(++made, ended);
    return kOk;
  }
};

class BlockMemoryTest : public testing::Test {
 protected:
  static constexpr uint64_t kCapacity = 1 << 20;

  void SetUp() override {
    TheLaneMaker() = [] { return std::make_unique<BatchLane>(); };
    ASSERT_EQ(hal_registry_create(registry_.out()), HAL_STATUS_OK);
    ASSERT_EQ(hal_registry_register_driver(registry_.get(), BatchDriverInterface()), HAL_STATUS_OK);
    ASSERT_EQ(hal_registry_create_device(registry_.get(), hal_string_view("batch://0"), 0, nullptr, device_.out()),
              HAL_STATUS_OK);
  }
  SubmissionDevice& device() { return *static_cast<SubmissionDevice*>(device_.get()); }

  static BlockRequest Request(uint64_t length) { return {.length = length, .cached = true}; }
  static MemoryBlock* Acquire(NotedMemory& memory, uint64_t length) {
    MemoryBlock* block = nullptr;
    QueuePoint after;
    EXPECT_EQ(memory.Acquire(Request(length), 1, &after, &block), kOk);
    return block;
  }
  /// Allocates blocks of these lengths at once, and frees them in that order. No submission uses them.
  static void Churn(NotedMemory& memory, const std::vector<uint64_t>& lengths) {
    std::vector<MemoryBlock*> blocks;
    for (const uint64_t length : lengths) blocks.push_back(Acquire(memory, length));
    for (size_t i = 0; i < lengths.size(); ++i) memory.FreeAfter(Request(lengths[i]), blocks[i], {});
  }

  Ref<hal_registry_t> registry_;
  Ref<hal_device_t> device_;
};

TEST_F(BlockMemoryTest, AFreedBlockServesTheNextAllocationOfItsLength) {
  NotedMemory memory(device(), kCapacity, 3000);
  Churn(memory, {1000});
  MemoryBlock* const other = Acquire(memory, 999);
  EXPECT_EQ(static_cast<NotedBlock*>(other)->number, 2u);
  MemoryBlock* const same = Acquire(memory, 1000);
  EXPECT_EQ(static_cast<NotedBlock*>(same)->number, 1u);
  EXPECT_THAT(memory.ended, IsEmpty());
  memory.Free(same, 1000);
  memory.Free(other, 999);
}

TEST_F(BlockMemoryTest, TheOldestBlocksMakeRoomForAFreedOne) {
  NotedMemory memory(device(), kCapacity, 3000);
  Churn(memory, {1000, 1000, 1000});
  EXPECT_THAT(memory.ended, IsEmpty());
  Churn(memory, {2500});
  EXPECT_THAT(memory.ended, ElementsAre(1, 2, 3));
  Churn(memory, {500, 1});
  EXPECT_THAT(memory.ended, ElementsAre(1, 2, 3, 4));
}

TEST_F(BlockMemoryTest, ABlockLargerThanTheLimitIsNotCached) {
  NotedMemory memory(device(), kCapacity, 3000);
  Churn(memory, {1000, 3001});
  EXPECT_THAT(memory.ended, ElementsAre(2));
}

TEST_F(BlockMemoryTest, AQuarterOfTheCapacityIsCachedAtMost) {
  NotedMemory memory(device(), 4000, 3000);
  Churn(memory, {600, 600});
  EXPECT_THAT(memory.ended, ElementsAre(1));
}

TEST_F(BlockMemoryTest, TrimFreesCachedBlocks) {
  NotedMemory memory(device(), kCapacity, 3000);
  Churn(memory, {1000, 1000});
  memory.Trim();
  EXPECT_THAT(memory.ended, ElementsAre(1, 2));
}

}  // namespace
}  // namespace halyard
