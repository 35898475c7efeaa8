// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The application puts work into the stream of a queue. A thread that waits for a submission learns its
// end in time. A marker that is put into the stream only then would come after long work.
#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include "interop_test.h"

namespace halyard::interop {
namespace {

using Clock = std::chrono::steady_clock;

class SharedQueueTest : public InteropTest {
 protected:
  void SetUp() override {
    InteropTest::SetUp();
    const Stream stream = QueueStream(device_, 0);
    done_ = MakeSemaphore();
    const Gate before = Close(stream);
    ASSERT_OK(QueueAppend({}, {{done_.get(), 1}}, 1));
    Close(stream);  // the application's work, until TearDown()
    opener_ = std::thread([before] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the waiting threads have gone to sleep
      before.Open();
    });
  }
  void TearDown() override {
    opener_.join();
    done_ = {};
    InteropTest::TearDown();
  }

  Ref<hal_semaphore_t> done_;
  std::thread opener_;
};

TEST_P(SharedQueueTest, AWaitReturns) {
  const auto begin = Clock::now();
  EXPECT_OK(Wait(done_, 1));
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(9)) << "found by the last look only";
}

TEST_P(SharedQueueTest, PollingFindsIt) {
  const auto end = Clock::now() + std::chrono::seconds(10);
  while (ValueOf(done_) == 0 && Clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(ValueOf(done_), 1U);
}

TEST_P(SharedQueueTest, ACallbackComes) {
  auto* const called = new std::promise<hal_status_t>;  // the callback's
  std::future<hal_status_t> call = called->get_future();
  const auto callback = [](void* user_data, hal_status_t status, hal_string_view_t) {
    const std::unique_ptr<std::promise<hal_status_t>> owned(static_cast<std::promise<hal_status_t>*>(user_data));
    owned->set_value(status);
  };
  ASSERT_OK(hal_semaphore_notify(done_.get(), 1, callback, called, nullptr));
  ASSERT_EQ(call.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  EXPECT_OK(call.get());
}

INSTANTIATE_TEST_SUITE_P(Completion, SharedQueueTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
