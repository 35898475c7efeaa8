// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the local devices promise beyond the conformance suite: mistakes that a device of its own memory cannot forgive,
// and how their thread pools live with each other.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "halyard/cpp/submit.hpp"
#include "halyard/halyard.h"

namespace halyard {
namespace {

class LocalDeviceTest : public testing::TestWithParam<const char*> {
 protected:
  static hal_device_t* Open(const char* uri) {
    hal_device_t* device = nullptr;
    EXPECT_EQ(hal_device_create(hal_string_view(uri), &device), HAL_STATUS_OK) << hal_last_error_message();
    return device;
  }
};

// A dealloca that nothing orders after a use that was submitted before: the use fails or succeeds, and
// nothing writes to freed memory.
TEST_P(LocalDeviceTest, SurvivesADeallocaThatIsNotOrderedAfterAUse) {
  hal_device_t* const device = Open(GetParam());
  for (int round = 0; round < 20; ++round) {
    hal_semaphore_t* done = nullptr;
    hal_semaphore_t* freed = nullptr;
    ASSERT_EQ(hal_semaphore_create(device, nullptr, &done), HAL_STATUS_OK);
    ASSERT_EQ(hal_semaphore_create(device, nullptr, &freed), HAL_STATUS_OK);
    const hal_timeline_point_t first = {done, 1};
    const hal_timeline_point_t second = {done, 2};
    const hal_timeline_point_t gone = {freed, 1};
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    hal_buffer_t* buffer = nullptr;
    constexpr uint64_t kLength = uint64_t{16} << 20;
    ASSERT_EQ(hal_device_queue_alloca(device, hal::SubmitParams({nullptr, 0}, hal_semaphore_list(&first, 1)), &params,
                                      kLength, &buffer),
              HAL_STATUS_OK);
    ASSERT_EQ(
        hal_device_queue_fill(device, hal::SubmitParams(hal_semaphore_list(&first, 1), hal_semaphore_list(&second, 1)),
                              hal_buffer_ref(buffer, 0, kLength), "Z", 1),
        HAL_STATUS_OK);
    ASSERT_EQ(hal_device_queue_dealloca(device, hal::SubmitParams({nullptr, 0}, hal_semaphore_list(&gone, 1)), buffer),
              HAL_STATUS_OK);
    const hal_status_t filled = hal_semaphore_wait(done, 2, HAL_TIMEOUT_INFINITE);
    EXPECT_TRUE(filled == HAL_STATUS_OK || filled == HAL_STATUS_FAILED_PRECONDITION) << hal_last_error_message();
    EXPECT_EQ(hal_semaphore_wait(freed, 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK);
    hal_buffer_release(buffer);
    hal_semaphore_release(freed);
    hal_semaphore_release(done);
  }
  hal_device_release(device);
}

INSTANTIATE_TEST_SUITE_P(Modes, LocalDeviceTest, testing::Values("local://sync", "local://task?threads=2"),
                         [](const auto& mode) { return mode.index == 0 ? "Sync" : "Task"; });

/// Host calls that are in flight at the same time, as far as threads allow.
class Meeting {
 public:
  explicit Meeting(int expected) : expected_(expected) {}

  static hal_status_t Join(void* meeting, hal_status_t) {
    static_cast<Meeting*>(meeting)->Arrive();
    return HAL_STATUS_OK;
  }
  /// Whether all came; waits for that, but not for ever.
  bool Complete() {
    std::unique_lock lock(mutex_);
    return all_here_.wait_for(lock, std::chrono::seconds(60), [&] { return arrived_ >= expected_; });
  }

 private:
  void Arrive() {
    {
      const std::lock_guard lock(mutex_);
      ++arrived_;
    }
    all_here_.notify_all();
    Complete();
  }

  const int expected_;
  std::mutex mutex_;  // protects arrived_
  std::condition_variable all_here_;
  int arrived_ = 0;
};

TEST(LocalPoolTest, PoolsOfDifferentSizesHaveAllTheirThreads) {
  hal_device_t* devices[2] = {};
  ASSERT_EQ(hal_device_create(hal_string_view("local://task?threads=1"), &devices[0]), HAL_STATUS_OK);
  ASSERT_EQ(hal_device_create(hal_string_view("local://task?threads=5"), &devices[1]), HAL_STATUS_OK);
  hal_semaphore_t* done[6] = {};
  Meeting meeting(6);
  for (int i = 0; i < 6; ++i) {
    hal_device_t* const device = devices[i == 0 ? 0 : 1];
    ASSERT_EQ(hal_semaphore_create(device, nullptr, &done[i]), HAL_STATUS_OK);
    const hal_timeline_point_t signal = {done[i], 1};
    ASSERT_EQ(hal_device_queue_host_call(device, hal::SubmitParams({nullptr, 0}, hal_semaphore_list(&signal, 1)),
                                         Meeting::Join, &meeting),
              HAL_STATUS_OK);
  }
  EXPECT_TRUE(meeting.Complete()) << "a pool got fewer threads than it was made with";
  for (hal_semaphore_t* semaphore : done) {
    EXPECT_EQ(hal_semaphore_wait(semaphore, 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK);
    hal_semaphore_release(semaphore);
  }
  for (hal_device_t* device : devices) hal_device_release(device);
}

}  // namespace
}  // namespace halyard
