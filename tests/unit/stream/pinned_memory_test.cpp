// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pinned memory that is the library's own: slots, and counters of epochs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "stream/native/epoch_counters.h"
#include "stream/native/host_slots.h"
#include "unit/stream/memory_device.h"

namespace halyard::stream {
namespace {

class PinnedMemoryTest : public testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(world_->alive(), 0);
    EXPECT_EQ(TakeReports(), "");
  }
  std::shared_ptr<MemoryWorld> world_ = std::make_shared<MemoryWorld>();
  std::unique_ptr<NativeApi> api_ = MakeMemoryApi(world_, AllTraits());
  NativeScope scope_{*api_};
};

// --- Slots ---

class HostSlotsTest : public PinnedMemoryTest {
 protected:
  void TearDown() override {
    slots_.reset();
    PinnedMemoryTest::TearDown();
  }
  HostSlot Acquire() {
    HostSlot slot;
    EXPECT_EQ(slots_->Acquire(&slot), kOk) << hal_last_error_message();
    return slot;
  }
  std::unique_ptr<HostSlots> slots_ = std::make_unique<HostSlots>(*api_);
};

// More than fit a block.
TEST_F(HostSlotsTest, SlotsDoNotOverlap) {
  std::vector<HostSlot> held;
  std::set<NativeAddress> addresses;
  for (int i = 0; i < 600; ++i) {
    held.push_back(Acquire());
    EXPECT_EQ(held.back().address() % HostSlot::kSize, 0u);
    EXPECT_TRUE(addresses.insert(held.back().address()).second);
  }
  EXPECT_GT(world_->allocations, 1);
  EXPECT_LT(world_->allocations, 10);
}

TEST_F(HostSlotsTest, SlotsAreUsedAgain) {
  HostSlot first = Acquire();
  const NativeAddress address = first.address();
  const uint64_t calls = world_->Calls();
  HostSlot moved = std::move(first);
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): an empty slot is what is left
  EXPECT_EQ(moved.address(), address);
  EXPECT_NE(Acquire().address(), address);
  moved = HostSlot();
  EXPECT_EQ(Acquire().address(), address);
  EXPECT_EQ(world_->Calls(), calls) << "slots that are there cost no call";
}

TEST_F(HostSlotsTest, FailedAllocationLeavesNothing) {
  world_->Fail("", HAL_STATUS_RESOURCE_EXHAUSTED);
  HostSlot slot;
  EXPECT_EQ(Publish(slots_->Acquire(&slot)), HAL_STATUS_RESOURCE_EXHAUSTED);
  EXPECT_FALSE(slot);
  EXPECT_TRUE(Acquire());
}

TEST_F(HostSlotsTest, ThreadsShareSlots) {
  std::mutex mutex;  // protects `held`
  std::set<NativeAddress> held;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const NativeScope scope(*api_);
      for (int i = 0; i < 2000; ++i) {
        const HostSlot slot = Acquire();
        {
          const std::lock_guard lock(mutex);
          EXPECT_TRUE(held.insert(slot.address()).second);
        }
        const std::lock_guard lock(mutex);
        held.erase(slot.address());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(world_->allocations, 1) << "four at a time fit a block";
}

// --- Counters ---

class EpochCountersTest : public PinnedMemoryTest {};

TEST_F(EpochCountersTest, EachHasItsOwnCacheLine) {
  EpochCounters counters(*api_);
  ASSERT_EQ(counters.Make(100, /*device_writes=*/false), kOk);
  EXPECT_EQ(world_->registrations, 0) << "only the host writes them";
  for (uint32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(counters.Counter(i).load(), 0u);
    EXPECT_EQ(counters.Address(i) - counters.Address(0), i * kCacheLine);
    counters.Counter(i).store(i + 1);
  }
  for (uint32_t i = 0; i < 100; ++i) EXPECT_EQ(counters.Counter(i).load(), i + 1);
}

TEST_F(EpochCountersTest, StreamsWriteWhereTheHostReads) {
  {
    EpochCounters counters(*api_);
    ASSERT_EQ(counters.Make(3, /*device_writes=*/true), kOk);
    EXPECT_EQ(world_->registrations, 1);
    NativeStream stream = nullptr;
    ASSERT_EQ(api_->CreateStream(&stream), kOk);
    ASSERT_EQ(api_->WriteValue(stream, counters.Address(1), 42), kOk);
    ASSERT_EQ(api_->SynchronizeStream(stream), kOk);
    api_->DestroyStream(stream);
    EXPECT_EQ(counters.Counter(0).load(), 0u);
    EXPECT_EQ(counters.Counter(1).load(), 42u);
    EXPECT_EQ(counters.Counter(2).load(), 0u);
  }
  EXPECT_EQ(world_->registrations, 0);
}

TEST_F(EpochCountersTest, FailedRegistrationIsReturned) {
  EpochCounters counters(*api_);
  world_->Fail("", HAL_STATUS_RESOURCE_EXHAUSTED);
  EXPECT_EQ(Publish(counters.Make(3, /*device_writes=*/true)), HAL_STATUS_RESOURCE_EXHAUSTED);
  EXPECT_EQ(world_->registrations, 0);
}

}  // namespace
}  // namespace halyard::stream
