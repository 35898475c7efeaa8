// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Native events that are shared and used again.
#include "stream/native/device_event.h"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "unit/stream/memory_device.h"

namespace halyard::stream {
namespace {

class DeviceEventTest : public testing::Test {
 protected:
  void TearDown() override {
    pool_.reset();
    EXPECT_EQ(world_->events, 0) << "all go with the pool";
    EXPECT_EQ(TakeReports(), "");
  }
  DeviceEventRef Acquire() {
    DeviceEventRef event;
    EXPECT_EQ(pool_->Acquire(&event), kOk) << hal_last_error_message();
    return event;
  }

  std::shared_ptr<MemoryWorld> world_ = std::make_shared<MemoryWorld>();
  std::unique_ptr<NativeApi> api_ = MakeMemoryApi(world_, AllTraits());
  NativeScope scope_{*api_};
  std::unique_ptr<DeviceEventPool> pool_ = std::make_unique<DeviceEventPool>(*api_, NativeEventKind::kOrder);
};

TEST_F(DeviceEventTest, IsUsedAgainAfterTheLastReferenceOnly) {
  DeviceEventRef first = Acquire();
  const NativeEvent native = first.native();
  EXPECT_TRUE(first.unique());
  DeviceEventRef copy = first;
  EXPECT_FALSE(first.unique());
  first = {};
  EXPECT_FALSE(first);
  EXPECT_TRUE(copy.unique());
  const DeviceEventRef second = Acquire();
  EXPECT_NE(second.native(), native) << "the copy still holds it";
  copy = {};
  EXPECT_EQ(Acquire().native(), native);
  EXPECT_EQ(Acquire().native(), native);
  EXPECT_EQ(world_->events, 2);
}

TEST_F(DeviceEventTest, MovingHandsTheReferenceOn) {
  DeviceEventRef first = Acquire();
  const NativeEvent native = first.native();
  DeviceEventRef moved = std::move(first);
  EXPECT_TRUE(moved.unique());
  DeviceEventRef& same = moved;
  moved = same;
  EXPECT_EQ(moved.native(), native);
  EXPECT_TRUE(moved.unique());
  EXPECT_NE(Acquire().native(), native);
}

TEST_F(DeviceEventTest, FailedCreationLeavesNothing) {
  DeviceEventRef event;
  world_->Fail("", HAL_STATUS_RESOURCE_EXHAUSTED);
  EXPECT_EQ(Publish(pool_->Acquire(&event)), HAL_STATUS_RESOURCE_EXHAUSTED);
  EXPECT_FALSE(event);
  EXPECT_EQ(world_->events, 0);
  EXPECT_EQ(pool_->Acquire(&event), kOk);
  EXPECT_TRUE(event);
}

// What is in the pool costs no native call.
TEST_F(DeviceEventTest, OnlyNewEventsMakeCalls) {
  Acquire();
  const uint64_t calls = world_->Calls();
  for (int i = 0; i < 10; ++i) Acquire();
  EXPECT_EQ(world_->Calls(), calls);
}

// No event is handed to two at a time, and no more are made than are held at once.
TEST_F(DeviceEventTest, ThreadsShareThePool) {
  constexpr int kThreads = 4;
  std::mutex mutex;  // protects `held`
  std::set<NativeEvent> held;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      const NativeScope scope(*api_);
      for (int i = 0; i < 2000; ++i) {
        DeviceEventRef event = Acquire();
        {
          const std::lock_guard lock(mutex);
          EXPECT_TRUE(held.insert(event.native()).second) << "another event holds it";
        }
        DeviceEventRef copy = event;
        event = {};
        const std::lock_guard lock(mutex);
        held.erase(copy.native());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(world_->events, kThreads);
}

}  // namespace
}  // namespace halyard::stream
