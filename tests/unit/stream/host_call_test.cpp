// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host calls take no thread each, and keep their order.
#include <gtest/gtest.h>

#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "halyard/cpp/submit.hpp"
#include "unit/stream/memory_device.h"

namespace halyard::stream {
namespace {

constexpr uint32_t kCalls = 100;

/// Runs for completion=fast and completion=portable.
class HostCallTest : public testing::TestWithParam<const char*> {
 protected:
  struct Log {
    std::mutex mutex;  // protects what follows
    std::set<std::thread::id> threads;
    std::vector<uint32_t> order;
  };
  struct Call {
    Log* log = nullptr;
    uint32_t number = 0;
  };

  void SetUp() override {
    ASSERT_EQ(memory_.status, HAL_STATUS_OK) << hal_last_error_message();
    calls_.reserve(kCalls);
    for (uint32_t i = 0; i < kCalls; ++i) calls_.push_back({&log_, i});
  }
  /// Call `number` writes itself down; the queues take turns.
  hal_status_t Submit(uint32_t number, const Point& wait, const Point& signal) {
    const auto callback = [](void* user_data, hal_status_t status) {
      const Call& call = *static_cast<const Call*>(user_data);
      const std::lock_guard lock(call.log->mutex);
      call.log->threads.insert(std::this_thread::get_id());
      call.log->order.push_back(call.number);
      return status;
    };
    return hal_device_queue_host_call(memory_.device.get(),
                                      hal::SubmitParams(hal_semaphore_list(&wait, 1), hal_semaphore_list(&signal, 1),
                                                        hal_queue_mask_t{1} << number % 4),
                                      callback, &calls_[number]);
  }
  void ExpectOneThreadAndOrder() {
    const std::lock_guard lock(log_.mutex);
    std::vector<uint32_t> expected(kCalls);
    std::iota(expected.begin(), expected.end(), 0u);
    EXPECT_EQ(log_.order, expected);
    EXPECT_EQ(log_.threads.size(), 1u);
    EXPECT_EQ(log_.threads.count(std::this_thread::get_id()), 0u) << "on the caller's thread";
  }

  Log log_;
  std::vector<Call> calls_;
  MemoryDevice memory_{std::string("queues=4&completion=") + GetParam()};
  Ref<hal_semaphore_t> gate_ = MakeSemaphore(memory_.device);
  Ref<hal_semaphore_t> done_ = MakeSemaphore(memory_.device);
};

TEST_P(HostCallTest, OneThreadServesAllQueues) {
  for (uint32_t i = 0; i < kCalls; ++i) {
    ASSERT_EQ(Submit(i, {done_.get(), i}, {done_.get(), i + 1}), HAL_STATUS_OK) << hal_last_error_message();
  }
  ASSERT_EQ(Wait(done_, kCalls), HAL_STATUS_OK) << hal_last_error_message();
  ExpectOneThreadAndOrder();
}

TEST_P(HostCallTest, OneSignalOfTheHostReleasesCallsInTheirOrder) {
  for (uint32_t i = 0; i < kCalls; ++i) {
    ASSERT_EQ(Submit(i, {gate_.get(), 1}, {done_.get(), i + 1}), HAL_STATUS_OK) << hal_last_error_message();
  }
  ASSERT_EQ(hal_semaphore_signal(gate_.get(), 1), HAL_STATUS_OK);
  ASSERT_EQ(Wait(done_, kCalls), HAL_STATUS_OK) << hal_last_error_message();
  ExpectOneThreadAndOrder();
}

TEST_P(HostCallTest, OneSignalOfTheDeviceReleasesCallsInTheirOrder) {
  const Ref<hal_buffer_t> buffer = MakeBuffer(memory_.device, 64);
  for (uint32_t i = 0; i < kCalls; ++i) {
    ASSERT_EQ(Submit(i, {gate_.get(), 1}, {done_.get(), i + 1}), HAL_STATUS_OK) << hal_last_error_message();
  }
  ASSERT_EQ(Fill(memory_.device, {}, {{gate_.get(), 1}}, buffer, 1), HAL_STATUS_OK);
  ASSERT_EQ(Wait(done_, kCalls), HAL_STATUS_OK) << hal_last_error_message();
  ExpectOneThreadAndOrder();
}

INSTANTIATE_TEST_SUITE_P(Completion, HostCallTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::stream
