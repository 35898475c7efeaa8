// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A capture of the application, anywhere in the process, and Halyard's work leave each other alone.
#include <optional>
#include <thread>

#include "halyard/cpp/submit.hpp"
#include "interop_test.h"

namespace halyard::interop {
namespace {

class CapturesTest : public InteropTest {
 protected:
  void SetUp() override {
    InteropTest::SetUp();
    stream_ = MakeStream();
    current_.emplace(0);
  }
  void TearDown() override {
    current_.reset();
    InteropTest::TearDown();
  }
  void EndCapture() {
    Graph graph = nullptr;
    EXPECT_DONE(vendor::EndCapture(stream_, &graph)) << "a call has invalidated the capture";
    if (graph) EXPECT_DONE(vendor::DestroyGraph(graph));
  }
  Gate CloseQueue() { return Close(QueueStream(device_, 0)); }
  /// Waits that end and waits that do not, memory and a device, created and released. What the test itself would
  /// have to be exempt for is done before: it closes the queue.
  void UseHalyard(const Gate& gate);

  Stream stream_ = nullptr;
  std::optional<vendor::Current> current_;
};

void CapturesTest::UseHalyard(const Gate& gate) {
  const Ref<hal_semaphore_t> done = MakeSemaphore();
  ASSERT_OK(QueueAppend({}, {{done.get(), 1}}, 1));
  EXPECT_EQ(hal_semaphore_wait(done.get(), 1, 30'000'000), HAL_STATUS_DEADLINE_EXCEEDED);  // asks its event at the end
  EXPECT_EQ(ValueOf(done), 0U);
  gate.Open();
  EXPECT_OK(Wait(done, 1));
  ASSERT_OK(QueueAppend({{done.get(), 1}}, {{done.get(), 2}}, 2, 2));
  EXPECT_OK(Wait(done, 2));
  for (const hal_memory_type_t type : {HAL_MEMORY_TYPE_DEVICE_LOCAL, HAL_MEMORY_TYPE_HOST_VISIBLE}) {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.memory_type = type;
    Ref<hal_buffer_t> buffer;
    EXPECT_OK(hal_allocator_allocate(hal_device_allocator(device_.get()), &params, 4096, buffer.out()));
  }
  for (const uint64_t length : {uint64_t{4096}, uint64_t{100} << 20}) {  // cached; too large
    const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    const Ref<hal_semaphore_t> chain = MakeSemaphore();
    const hal_timeline_point_t made = {chain.get(), 1};
    const hal_timeline_point_t freed = {chain.get(), 2};
    Ref<hal_buffer_t> buffer;
    EXPECT_OK(hal_device_queue_alloca(
        device_.get(), hal::SubmitParams(hal_semaphore_list(nullptr, 0), hal_semaphore_list(&made, 1), 1), &params,
        length, buffer.out()));
    EXPECT_OK(hal_device_queue_dealloca(
        device_.get(), hal::SubmitParams(hal_semaphore_list(&made, 1), hal_semaphore_list(&freed, 1), 1),
        buffer.get()));
    EXPECT_OK(Wait(chain, 2));
  }
  EXPECT_TRUE(OpenDevice(1));
  EXPECT_OK(hal_device_query_health(device_.get()));
}

TEST_P(CapturesTest, OfAnotherThreadInGlobalMode) {
  const Ref<hal_semaphore_t> before = MakeSemaphore();
  const Gate gate = Close(QueueStream(device_, 1));
  ASSERT_OK(QueueAppend({}, {{before.get(), 1}}, 3, 2));
  const Gate later = CloseQueue();
  ASSERT_DONE(vendor::BeginCapture(stream_, vendor::kCaptureGlobal));
  gate.Open();
  EXPECT_OK(Wait(before, 1));
  std::thread user([&] { UseHalyard(later); });
  user.join();
  EndCapture();
}

TEST_P(CapturesTest, OfTheCallersThread) {
  for (const vendor::CaptureMode mode : {vendor::kCaptureGlobal, vendor::kCaptureThreadLocal}) {
    const Gate gate = CloseQueue();
    ASSERT_DONE(vendor::BeginCapture(stream_, mode));
    UseHalyard(gate);
    EndCapture();
  }
}

TEST_P(CapturesTest, TheThreadsModeIsPutBack) {
  UseHalyard(CloseQueue());
  auto mode = vendor::kCaptureThreadLocal;
  ASSERT_DONE(vendor::ExchangeCaptureMode(&mode));
  EXPECT_EQ(mode, vendor::kCaptureGlobal);
  UseHalyard(CloseQueue());
  ASSERT_DONE(vendor::ExchangeCaptureMode(&mode));
  EXPECT_EQ(mode, vendor::kCaptureThreadLocal);
}

// What would happen otherwise, so that the tests above mean something.
TEST_P(CapturesTest, EndAtACallThatTheyForbid) {
  const Event event = MakeEvent();
  Graph graph = nullptr;
  ASSERT_DONE(vendor::BeginCapture(stream_, vendor::kCaptureGlobal));
  int seen = 0;
  std::thread other([&] {
    const vendor::Current current(0);
    seen = vendor::QueryEvent(event);
  });
  other.join();
  EXPECT_EQ(seen, vendor::kNames.capture_forbids.number);
  EXPECT_EQ(vendor::EndCapture(stream_, &graph), vendor::kNames.capture_invalidated.number);
  EXPECT_EQ(graph, nullptr);
}

INSTANTIATE_TEST_SUITE_P(Completion, CapturesTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
