// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread that finds work done neither calls the application nor runs other queues' work: a thread of the device
// does.
#include <atomic>
#include <future>
#include <string>
#include <thread>

#include "halyard/cpp/submit.hpp"
#include "stream/device/external_streams.h"
#include "stream/device/stream_device.h"
#include "unit/stream/memory_device.h"

namespace halyard::stream {
namespace {

/// Runs for completion=fast and completion=portable.
class CallbackThreadTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { ASSERT_EQ(memory_.status, HAL_STATUS_OK) << hal_last_error_message(); }

  MemoryDevice memory_{std::string("queues=2&completion=") + GetParam()};
};

uint64_t Value(const Ref<hal_semaphore_t>& semaphore) {
  uint64_t value = 0;
  EXPECT_EQ(hal_semaphore_query(semaphore.get(), &value), HAL_STATUS_OK) << hal_last_error_message();
  return value;
}

TEST_P(CallbackThreadTest, AQueryCallsNoCallback) {
  const Ref<hal_buffer_t> buffer = MakeBuffer(memory_.device, 64);
  for (int round = 0; round < 50; ++round) {
    const Ref<hal_semaphore_t> filled = MakeSemaphore(memory_.device);
    std::promise<std::thread::id> called;
    const auto callback = [](void* promise, hal_status_t, hal_string_view_t) {
      static_cast<std::promise<std::thread::id>*>(promise)->set_value(std::this_thread::get_id());
    };
    ASSERT_EQ(hal_semaphore_notify(filled.get(), 1, callback, &called, nullptr), HAL_STATUS_OK);
    ASSERT_EQ(Fill(memory_.device, {}, {{filled.get(), 1}}, buffer, 1), HAL_STATUS_OK);
    while (Value(filled) < 1) std::this_thread::yield();
    EXPECT_NE(called.get_future().get(), std::this_thread::get_id());
  }
}

/// A host call that returns when it is told to.
struct GatedCall {
  std::promise<void> begun;
  std::promise<void> gate;
  static hal_status_t Run(void* self, hal_status_t status) {
    auto* const call = static_cast<GatedCall*>(self);
    call->begun.set_value();
    call->gate.get_future().wait();
    return status;
  }
};

// A host call of a device without threads of its own, released by a signal of this one.
TEST_P(CallbackThreadTest, ReleasedWorkHoldsUpNoQueueAndNoQuery) {
  hal_device_t* opened = nullptr;
  ASSERT_EQ(hal_device_create(hal_string_view("local://sync"), &opened), HAL_STATUS_OK) << hal_last_error_message();
  const auto local = Ref<hal_device_t>::Adopting(opened);
  const Ref<hal_buffer_t> buffer = MakeBuffer(memory_.device, 64);
  const Ref<hal_semaphore_t> release = MakeSemaphore(memory_.device);
  const Ref<hal_semaphore_t> other = MakeSemaphore(memory_.device);
  const Ref<hal_semaphore_t> returned = MakeSemaphore(local);
  GatedCall call;
  const Point wait = {release.get(), 1};
  const Point signal = {returned.get(), 1};
  ASSERT_EQ(hal_device_queue_host_call(
                local.get(), hal::SubmitParams(hal_semaphore_list(&wait, 1), hal_semaphore_list(&signal, 1), 1),
                GatedCall::Run, &call),
            HAL_STATUS_OK);
  ASSERT_EQ(Fill(memory_.device, {}, {{release.get(), 1}}, buffer, 1, 1), HAL_STATUS_OK);
  while (Value(release) < 1) std::this_thread::yield();
  call.begun.get_future().wait();
  EXPECT_EQ(Value(returned), 0u);
  for (const hal_queue_mask_t queue : {1u, 2u}) {
    ASSERT_EQ(Fill(memory_.device, {}, {{other.get(), queue}}, buffer, 2, queue), HAL_STATUS_OK);
    EXPECT_EQ(Wait(other, queue), HAL_STATUS_OK) << hal_last_error_message();
  }
  call.gate.set_value();
  EXPECT_EQ(Wait(returned, 1), HAL_STATUS_OK) << hal_last_error_message();
}

// --- hal_semaphore_fail() on a timeline with work in flight ----------------------------------------------------------

TEST_P(CallbackThreadTest, FailingATimelineFailsWhatWasSubmittedForLater) {
  const Ref<hal_buffer_t> buffer = MakeBuffer(memory_.device, 64);
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(memory_.device);
  const Ref<hal_semaphore_t> second = MakeSemaphore(memory_.device);
  const Ref<hal_semaphore_t> third = MakeSemaphore(memory_.device);
  const Ref<hal_semaphore_t> unrelated = MakeSemaphore(memory_.device);
  memory_.world->paused = true;
  ASSERT_EQ(Fill(memory_.device, {}, {{timeline.get(), 2}, {unrelated.get(), 1}}, buffer, 1, 1), HAL_STATUS_OK);
  ASSERT_EQ(Fill(memory_.device, {{timeline.get(), 1}}, {{second.get(), 1}}, buffer, 2, 2), HAL_STATUS_OK);
  ASSERT_EQ(Fill(memory_.device, {{second.get(), 1}}, {{third.get(), 1}}, buffer, 3, 1), HAL_STATUS_OK);
  ASSERT_EQ(Barrier(memory_.device, {{unrelated.get(), 1}}, {{unrelated.get(), 2}}), HAL_STATUS_OK);
  ASSERT_EQ(hal_semaphore_fail(timeline.get(), HAL_STATUS_ABORTED, hal_string_view("given up")), HAL_STATUS_OK);
  memory_.world->paused = false;
  EXPECT_EQ(Wait(second, 1), HAL_STATUS_ABORTED);
  EXPECT_STREQ(hal_last_error_message(), "given up");
  EXPECT_EQ(Wait(third, 1), HAL_STATUS_ABORTED) << "and what depends on that";
  EXPECT_EQ(Wait(unrelated, 2), HAL_STATUS_OK) << "and nothing else: " << hal_last_error_message();
}

TEST_P(CallbackThreadTest, WhatWasReachedBeforeTheFailureStaysReached) {
  const Ref<hal_buffer_t> buffer = MakeBuffer(memory_.device, 64);
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(memory_.device);
  const Ref<hal_semaphore_t> done = MakeSemaphore(memory_.device);
  ASSERT_EQ(Fill(memory_.device, {}, {{timeline.get(), 1}}, buffer, 1), HAL_STATUS_OK);
  ASSERT_EQ(Wait(timeline, 1), HAL_STATUS_OK);
  memory_.world->paused = true;
  ASSERT_EQ(Fill(memory_.device, {{timeline.get(), 1}}, {{done.get(), 1}}, buffer, 2), HAL_STATUS_OK);
  ASSERT_EQ(hal_semaphore_fail(timeline.get(), HAL_STATUS_ABORTED, hal_string_view("too late")), HAL_STATUS_OK);
  memory_.world->paused = false;
  EXPECT_EQ(Wait(done, 1), HAL_STATUS_OK) << hal_last_error_message();
}

TEST_P(CallbackThreadTest, SignalsSubmittedAfterAFailureCoverNothing) {
  const Ref<hal_buffer_t> buffer = MakeBuffer(memory_.device, 64);
  const Ref<hal_semaphore_t> failed = MakeSemaphore(memory_.device);
  ASSERT_EQ(hal_semaphore_fail(failed.get(), HAL_STATUS_ABORTED, hal_string_view("upstream")), HAL_STATUS_OK);
  memory_.world->paused = true;
  ASSERT_EQ(Fill(memory_.device, {}, {{failed.get(), 1}}, buffer, 1), HAL_STATUS_OK);
  auto& device = *static_cast<StreamDevice*>(memory_.device.get());
  const Point wait = {failed.get(), 1};
  const hal_semaphore_list_t waits = hal_semaphore_list(&wait, 1);
  const NativeStream stream = device.context().stream(0);
  EXPECT_EQ(Publish(JoinStream(device, stream, waits, {})), HAL_STATUS_ABORTED);
  NativeEvent event = nullptr;
  {
    const NativeScope scope(device.api());
    ASSERT_EQ(device.api().CreateEvent(NativeEventKind::kOrder, &event), kOk);
  }
  EXPECT_EQ(Publish(ExportEvent(device, waits, event)), HAL_STATUS_ABORTED);
  ASSERT_EQ(BeginStream(device, stream), kOk);
  const Ref<hal_semaphore_t> after = MakeSemaphore(memory_.device);
  EXPECT_EQ(Fill(memory_.device, {wait}, {{after.get(), 1}}, buffer, 2), HAL_STATUS_ABORTED) << "in a begun stream";
  EXPECT_EQ(EndStream(device), kOk);
  const NativeScope scope(device.api());
  device.api().DestroyEvent(event);
  memory_.world->paused = false;
}

TEST_P(CallbackThreadTest, AThreadThatEndsEndsItsStream) {
  auto& device = *static_cast<StreamDevice*>(memory_.device.get());
  std::thread([&] { EXPECT_EQ(BeginStream(device, device.context().stream(0)), kOk); }).join();
  memory_.device = {};
  EXPECT_TRUE(BecomesEmpty(*memory_.world));
}

INSTANTIATE_TEST_SUITE_P(Completion, CallbackThreadTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::stream
