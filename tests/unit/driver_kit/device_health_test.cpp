// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/device/device_health.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "test_timeline.h"

namespace halyard {
namespace {

using testing::Heard;

/// As a device does it; NULL if it is lost.
Ref<hal_semaphore_t> MakeSemaphore(DeviceHealth& health) {
  static const hal_semaphore_vtable_t table = TrackedSemaphore::MakeVtable();
  auto semaphore = std::make_unique<TrackedSemaphore>(health, &table, 0);
  return Succeeds(health.Track(*semaphore)) ? Ref<hal_semaphore_t>::Adopting(semaphore.release())
                                            : Ref<hal_semaphore_t>();
}

TimelineSemaphore& Timeline(const Ref<hal_semaphore_t>& semaphore) {
  return *static_cast<TrackedSemaphore*>(semaphore.get());
}

TEST(DeviceHealth, IsGoodAtFirst) {
  DeviceHealth health;
  EXPECT_EQ(health.Check(), kOk);
  const Ref<hal_semaphore_t> semaphore = MakeSemaphore(health);
  EXPECT_EQ(Timeline(semaphore).Signal(1), kOk);
}

TEST(DeviceHealth, LossFailsEverySemaphoreWithItsCause) {
  DeviceHealth health;
  std::vector<Ref<hal_semaphore_t>> semaphores;
  for (int i = 0; i < 10; ++i) semaphores.push_back(MakeSemaphore(health));
  semaphores.erase(semaphores.begin() + 4);  // destroyed ones are out of the list
  semaphores.pop_back();
  Heard heard;
  ASSERT_EQ(Timeline(semaphores[0]).Notify(1, Heard::Callback, &heard, nullptr), kOk);
  std::thread waiter([&] {
    EXPECT_EQ(Publish(Timeline(semaphores[1]).Wait(1, HAL_TIMEOUT_INFINITE)), HAL_STATUS_DEVICE_LOST);
    EXPECT_EQ(LastErrorMessage(), "the cable was pulled");
  });
  health.Lose("the cable was pulled");
  waiter.join();
  EXPECT_EQ(Publish(health.Check()), HAL_STATUS_DEVICE_LOST);
  EXPECT_EQ(LastErrorMessage(), "the cable was pulled");
  EXPECT_EQ(heard.status, HAL_STATUS_DEVICE_LOST);
  for (const auto& semaphore : semaphores) {
    EXPECT_EQ(Publish(Timeline(semaphore).Wait(1, HAL_TIMEOUT_INFINITE)), HAL_STATUS_DEVICE_LOST);
  }
}

TEST(DeviceHealth, TheFirstCauseStays) {
  DeviceHealth health;
  health.Lose("first");
  health.Lose("second");
  EXPECT_EQ(Publish(health.Check()), HAL_STATUS_DEVICE_LOST);
  EXPECT_EQ(LastErrorMessage(), "first");
}

TEST(DeviceHealth, WhatWasReachedBeforeStaysReached) {
  DeviceHealth health;
  const Ref<hal_semaphore_t> semaphore = MakeSemaphore(health);
  ASSERT_EQ(Timeline(semaphore).Signal(3), kOk);
  health.Lose("gone");
  EXPECT_EQ(Timeline(semaphore).Wait(3, 0), kOk);
  EXPECT_EQ(Publish(Timeline(semaphore).Wait(4, 0)), HAL_STATUS_DEVICE_LOST);
}

TEST(DeviceHealth, CallbacksOfTheLossMayReleaseSemaphores) {
  DeviceHealth health;
  struct Owned {
    Ref<hal_semaphore_t> other;
    static void Callback(void* user_data, hal_status_t, hal_string_view_t) {
      static_cast<Owned*>(user_data)->other = {};
    }
  } owned{MakeSemaphore(health)};
  const Ref<hal_semaphore_t> semaphore = MakeSemaphore(health);
  ASSERT_EQ(Timeline(semaphore).Notify(1, Owned::Callback, &owned, nullptr), kOk);
  health.Lose("gone");
  EXPECT_FALSE(owned.other);
}

// The device is lost between the base class and the end of a derived constructor.
TEST(DeviceHealth, TheLossTouchesNoSemaphoreThatIsNotComplete) {
  struct HalfMade : TrackedSemaphore {
    HalfMade(DeviceHealth& health, const hal_semaphore_vtable_t* table) : TrackedSemaphore(health, table, 0) {
      health.Lose("gone");
    }
  };
  static int failed = 0;
  hal_semaphore_vtable_t table = TrackedSemaphore::MakeVtable();
  table.fail = [](hal_semaphore_t*, hal_status_t, hal_string_view_t) noexcept -> hal_status_t {
    ++failed;
    return HAL_STATUS_OK;
  };
  DeviceHealth health;
  const auto semaphore = std::make_unique<HalfMade>(health, &table);
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(Publish(health.Track(*semaphore)), HAL_STATUS_DEVICE_LOST);
  EXPECT_EQ(LastErrorMessage(), "gone");
}

TEST(DeviceHealth, SemaphoresComeAndGoWhileTheDeviceIsLost) {
  for (int round = 0; round < 200; ++round) {
    DeviceHealth health;
    std::atomic<bool> lost{false};
    std::vector<std::thread> users;
    for (int i = 0; i < 3; ++i) {
      users.emplace_back([&] {
        while (!lost) {
          const Ref<hal_semaphore_t> semaphore = MakeSemaphore(health);
          if (!semaphore) break;
          const hal_status_t status = Publish(Timeline(semaphore).Signal(1));
          ASSERT_TRUE(status == HAL_STATUS_OK || status == HAL_STATUS_DEVICE_LOST);
        }
      });
    }
    // Waits forever unless the loss reaches a semaphore that was made just before.
    std::thread waiter([&] {
      const Ref<hal_semaphore_t> semaphore = MakeSemaphore(health);
      if (!semaphore) return;
      ASSERT_EQ(Publish(Timeline(semaphore).Wait(1, HAL_TIMEOUT_INFINITE)), HAL_STATUS_DEVICE_LOST);
    });
    health.Lose("gone");
    lost = true;
    for (std::thread& user : users) user.join();
    waiter.join();
  }
}

}  // namespace
}  // namespace halyard
