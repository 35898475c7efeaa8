// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What src/submission asks of a lane, and what it makes of the lane's answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "driver_kit/object/object.h"
#include "halyard/cpp/submit.hpp"
#include "halyard/halyard.h"
#include "submission/submission_device.h"
#include "unit/submission/batch_device.h"
#include "unit/submission/manual_lane.h"

namespace halyard {
namespace {

constexpr uint64_t kTenSeconds = 10'000'000'000;  // nanoseconds

using Points = std::vector<hal_timeline_point_t>;

hal_queue_mask_t Queue(uint32_t index) { return hal_queue_mask_t{1} << index; }

class SubmissionQueueTest : public testing::Test {
 protected:
  void SetUp() override { Open(1); }
  void TearDown() override {
    for (ManualLane* const lane : lanes_) lane->CompleteAll();
  }

  /// Three queues, whose lanes take so many operations at once.
  void Open(size_t max_batch) {
    static const hal_status_t registered = hal_registry_register_driver(hal_registry_default(), BatchDriverInterface());
    ASSERT_EQ(registered, HAL_STATUS_OK);
    lanes_.clear();
    TheLaneMaker() = [this, max_batch] {
      auto lane = std::make_unique<ManualLane>(max_batch);
      lanes_.push_back(lane.get());
      return lane;
    };
    device_ = {};
    ASSERT_EQ(hal_registry_create_device(hal_registry_default(), hal_string_view("batch://0?queues=3"), 0, nullptr,
                                         device_.out()),
              HAL_STATUS_OK);
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.memory_type = HAL_MEMORY_TYPE_HOST_VISIBLE | HAL_MEMORY_TYPE_HOST_COHERENT;
    params.usage = HAL_BUFFER_USAGE_TRANSFER;
    buffer_ = {};
    ASSERT_EQ(hal_allocator_allocate(hal_device_allocator(device_.get()), &params, 64, buffer_.out()), HAL_STATUS_OK);
  }

  Ref<hal_semaphore_t> MakeSemaphore() {
    Ref<hal_semaphore_t> semaphore;
    EXPECT_EQ(hal_semaphore_create(device_.get(), nullptr, semaphore.out()), HAL_STATUS_OK);
    return semaphore;
  }
  hal_status_t Fill(uint32_t queue, const Points& waits, const Points& signals) {
    const uint32_t pattern = 7;
    return hal_device_queue_fill(device_.get(),
                                 hal::SubmitParams(hal_semaphore_list(waits.data(), waits.size()),
                                                   hal_semaphore_list(signals.data(), signals.size()), Queue(queue)),
                                 hal_buffer_ref(buffer_.get(), 0, HAL_WHOLE_SIZE), &pattern, sizeof(pattern));
  }
  /// Memory of the caller, whose release is told to `on_release`.
  Ref<hal_buffer_t> Import(std::function<void()>& on_release) {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.usage = HAL_BUFFER_USAGE_TRANSFER;
    hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
    memory.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
    memory.handle = reinterpret_cast<uintptr_t>(&host_memory_);
    memory.length = sizeof(host_memory_);
    const auto release = [](void* called) { (*static_cast<std::function<void()>*>(called))(); };
    Ref<hal_buffer_t> buffer;
    EXPECT_EQ(
        hal_allocator_import(hal_device_allocator(device_.get()), &params, &memory, release, &on_release, buffer.out()),
        HAL_STATUS_OK)
        << hal_last_error_message();
    return buffer;
  }
  /// What is reached, as far as the thread that retires has come.
  static uint64_t Value(const Ref<hal_semaphore_t>& semaphore) {
    uint64_t value = UINT64_MAX;
    EXPECT_EQ(hal_semaphore_query(semaphore.get(), &value), HAL_STATUS_OK);
    return value;
  }
  static hal_status_t Wait(const Ref<hal_semaphore_t>& semaphore, uint64_t value) {
    return hal_semaphore_wait(semaphore.get(), value, kTenSeconds);
  }

  std::vector<ManualLane*> lanes_;  // owned by the device
  Ref<hal_device_t> device_;
  Ref<hal_buffer_t> buffer_;
  alignas(64) std::array<char, 64> host_memory_{};
};

TEST_F(SubmissionQueueTest, SignalsWhenTheEpochIsCompleted) {
  const auto timeline = MakeSemaphore();
  ASSERT_EQ(Fill(0, {}, {{timeline.get(), 1}}), HAL_STATUS_OK);
  ASSERT_EQ(Fill(0, {}, {{timeline.get(), 2}}), HAL_STATUS_OK);
  EXPECT_EQ(Value(timeline), 0u);
  lanes_[0]->Complete(1);
  EXPECT_EQ(Wait(timeline, 1), HAL_STATUS_OK);
  lanes_[0]->Complete(2);
  EXPECT_EQ(Wait(timeline, 2), HAL_STATUS_OK);
}

TEST_F(SubmissionQueueTest, SleepingThreadIsWoken) {
  const auto timeline = MakeSemaphore();
  ASSERT_EQ(Fill(0, {}, {{timeline.get(), 1}}), HAL_STATUS_OK);
  std::thread waiter([&] { EXPECT_EQ(Wait(timeline, 1), HAL_STATUS_OK); });
  lanes_[0]->Complete(1);
  waiter.join();
}

// B's lane tells of B alone. That A is completed follows, and A's signal comes first.
TEST_F(SubmissionQueueTest, WhatASubmissionWaitedForIsCompletedWithIt) {
  const auto timeline = MakeSemaphore();
  ASSERT_EQ(Fill(0, {}, {{timeline.get(), 1}}), HAL_STATUS_OK);
  ASSERT_EQ(Fill(1, {{timeline.get(), 1}}, {{timeline.get(), 2}}), HAL_STATUS_OK);
  ASSERT_THAT(lanes_[1]->batches(), testing::SizeIs(1)) << "its wait can be made on the device";
  EXPECT_EQ(lanes_[1]->batches()[0].predecessors, Queue(0));
  lanes_[1]->Complete(1);
  EXPECT_EQ(Wait(timeline, 2), HAL_STATUS_OK);
  EXPECT_EQ(lanes_[0]->Completed(), 0u);
}

// An application may learn from the device itself that work has ended, before the library does. Its signal comes then.
TEST_F(SubmissionQueueTest, ASignalFromOutsideComesAfterPendingOnes) {
  const auto timeline = MakeSemaphore();
  ASSERT_EQ(Fill(0, {}, {{timeline.get(), 1}}), HAL_STATUS_OK);
  ASSERT_EQ(Fill(1, {{timeline.get(), 1}}, {{timeline.get(), 2}}), HAL_STATUS_OK);
  ASSERT_EQ(hal_semaphore_signal(timeline.get(), 3), HAL_STATUS_OK);
  ASSERT_EQ(hal_semaphore_signal(timeline.get(), 4), HAL_STATUS_OK);
  EXPECT_EQ(Value(timeline), 0u);
  EXPECT_EQ(hal_semaphore_signal(timeline.get(), 4), HAL_STATUS_INVALID_ARGUMENT) << "it is on its way";
  // Such a signal is pending, as one of the work that it comes after.
  ASSERT_EQ(Fill(2, {{timeline.get(), 4}}, {{timeline.get(), 5}}), HAL_STATUS_OK);
  ASSERT_THAT(lanes_[2]->batches(), testing::SizeIs(1));
  EXPECT_EQ(lanes_[2]->batches()[0].predecessors, Queue(1));
  lanes_[0]->Complete(1);
  EXPECT_EQ(Wait(timeline, 1), HAL_STATUS_OK);
  EXPECT_EQ(Value(timeline), 1u);
  lanes_[1]->Complete(1);
  EXPECT_EQ(Wait(timeline, 4), HAL_STATUS_OK);
  lanes_[2]->CompleteAll();
  EXPECT_EQ(Wait(timeline, 5), HAL_STATUS_OK);
}

// As many as there are come one after the other, and not one within the other.
TEST_F(SubmissionQueueTest, ManySignalsFromOutsideComeInTheirOrder) {
  constexpr uint64_t kCount = 100'000;
  const auto timeline = MakeSemaphore();
  ASSERT_EQ(Fill(0, {}, {{timeline.get(), 1}}), HAL_STATUS_OK);
  for (uint64_t value = 2; value < kCount; value += 2) {
    ASSERT_EQ(hal_semaphore_signal(timeline.get(), value), HAL_STATUS_OK);
  }
  ASSERT_EQ(Fill(1, {}, {{timeline.get(), kCount}}), HAL_STATUS_OK);
  std::atomic<uint64_t> seen{0};
  for (uint64_t value = kCount - 2; value > 1; value -= 2) {
    const auto see = [](void* to, hal_status_t status, hal_string_view_t) {
      if (status == HAL_STATUS_OK) ++*static_cast<std::atomic<uint64_t>*>(to);
    };
    ASSERT_EQ(hal_semaphore_notify(timeline.get(), value, see, &seen, nullptr), HAL_STATUS_OK);
  }
  lanes_[0]->Complete(1);
  EXPECT_EQ(Wait(timeline, kCount - 2), HAL_STATUS_OK);
  EXPECT_EQ(Value(timeline), kCount - 2);
  lanes_[1]->Complete(1);
  EXPECT_EQ(Wait(timeline, kCount), HAL_STATUS_OK);
  EXPECT_EQ(hal_device_drain(device_.get(), kTenSeconds), HAL_STATUS_OK);
  EXPECT_EQ(seen, kCount / 2 - 1);
}

// Work that was submitted between two of them keeps its place.
TEST_F(SubmissionQueueTest, SignalsFromOutsideKeepTheirPlaces) {
  const auto timeline = MakeSemaphore();
  ASSERT_EQ(Fill(0, {}, {{timeline.get(), 1}}), HAL_STATUS_OK);
  ASSERT_EQ(hal_semaphore_signal(timeline.get(), 2), HAL_STATUS_OK);
  ASSERT_EQ(Fill(1, {}, {{timeline.get(), 3}}), HAL_STATUS_OK);
  ASSERT_EQ(hal_semaphore_signal(timeline.get(), 4), HAL_STATUS_OK);
  lanes_[0]->Complete(1);
  EXPECT_EQ(Wait(timeline, 2), HAL_STATUS_OK) << "not only once the work behind it has ended";
  EXPECT_EQ(Value(timeline), 2u);
  lanes_[1]->Complete(1);
  EXPECT_EQ(Wait(timeline, 4), HAL_STATUS_OK);
}

// The application saw the end of A, and so did not wait for it again. The library hears of B first.
TEST_F(SubmissionQueueTest, WhatTheApplicationSawEndIsSignalledFirst) {
  const auto timeline = MakeSemaphore();
  for (uint64_t round = 1; round <= 100; ++round) {
    ASSERT_EQ(Fill(0, {}, {{timeline.get(), 2 * round - 1}}), HAL_STATUS_OK);
    lanes_[0]->End(round);
    ASSERT_EQ(Fill(1, {}, {{timeline.get(), 2 * round}}), HAL_STATUS_OK);
    lanes_[1]->Complete(round);
    ASSERT_EQ(Wait(timeline, 2 * round), HAL_STATUS_OK) << hal_last_error_message();
    ASSERT_EQ(Value(timeline), 2 * round) << hal_last_error_message();
  }
}

// The same through a submission between the two that has an edge.
TEST_F(SubmissionQueueTest, WhatTheApplicationSawEndIsSignalledFirstThroughOthers) {
  const auto timeline = MakeSemaphore();
  for (uint64_t round = 1; round <= 100; ++round) {
    ASSERT_EQ(Fill(0, {}, {{timeline.get(), 3 * round - 2}}), HAL_STATUS_OK);
    ASSERT_EQ(Fill(1, {{timeline.get(), 3 * round - 2}}, {{timeline.get(), 3 * round - 1}}), HAL_STATUS_OK);
    lanes_[1]->End(round);
    ASSERT_EQ(Fill(2, {}, {{timeline.get(), 3 * round}}), HAL_STATUS_OK);
    lanes_[2]->Complete(round);
    ASSERT_EQ(Wait(timeline, 3 * round), HAL_STATUS_OK) << hal_last_error_message();
  }
  EXPECT_EQ(Value(timeline), 300u) << hal_last_error_message();
}

// Whatever the application does next, unless another thread has retired the work by then or is about to.
TEST_F(SubmissionQueueTest, WhatTheApplicationSawEndIsLookedAtFirst) {
  static_cast<SubmissionDevice*>(device_.get())->TellsApplication();
  const std::function<void(hal_semaphore_t*)> calls[] = {
      [](hal_semaphore_t* timeline) {
        uint64_t value = 0;
        EXPECT_EQ(hal_semaphore_query(timeline, &value), HAL_STATUS_OK);
      },
      [](hal_semaphore_t* timeline) { hal_semaphore_wait(timeline, 3, 0); },
      [](hal_semaphore_t* timeline) {
        EXPECT_EQ(hal_semaphore_fail(timeline, HAL_STATUS_ABORTED, hal_string_view("given up")), HAL_STATUS_OK);
      },
      [](hal_semaphore_t* timeline) { EXPECT_EQ(hal_semaphore_signal(timeline, 3), HAL_STATUS_OK); },
  };
  uint64_t epoch = 0;
  for (const auto& call : calls) {
    const auto timeline = MakeSemaphore();
    ASSERT_EQ(Fill(0, {}, {{timeline.get(), 1}}), HAL_STATUS_OK);
    ASSERT_EQ(Fill(0, {}, {{timeline.get(), 2}}), HAL_STATUS_OK);
    lanes_[0]->End(epoch += 2);
    lanes_[0]->WasQueriedHere();
    call(timeline.get());
    const bool queried = lanes_[0]->WasQueriedHere();
    EXPECT_TRUE(queried || hal_semaphore_wait(timeline.get(), 2, 0) == HAL_STATUS_OK) << epoch;
  }
}

// A lane that hears of the end by itself is waited for.
TEST_F(SubmissionQueueTest, WhatIsEndingIsSignalledFirst) {
  const auto timeline = MakeSemaphore();
  ASSERT_EQ(Fill(0, {}, {{timeline.get(), 1}}), HAL_STATUS_OK);
  lanes_[0]->ComeToEnd(1);
  ASSERT_EQ(Fill(1, {}, {{timeline.get(), 2}}), HAL_STATUS_OK);
  lanes_[1]->Complete(1);
  EXPECT_EQ(hal_semaphore_wait(timeline.get(), 2, 0), HAL_STATUS_DEADLINE_EXCEEDED);
  EXPECT_EQ(Value(timeline), 0u);
  lanes_[0]->Complete(1);
  EXPECT_EQ(Wait(timeline, 2), HAL_STATUS_OK);
}

// Else the order is the application's mistake, and both find it.
TEST_F(SubmissionQueueTest, ASignalThatComesTooLateFailsItsTimeline) {
  const auto timeline = MakeSemaphore();
  ASSERT_EQ(Fill(0, {}, {{timeline.get(), 1}}), HAL_STATUS_OK);
  ASSERT_EQ(Fill(1, {}, {{timeline.get(), 2}}), HAL_STATUS_OK);
  lanes_[1]->Complete(1);
  EXPECT_EQ(Wait(timeline, 2), HAL_STATUS_OK);
  lanes_[0]->Complete(1);
  EXPECT_EQ(Wait(timeline, 3), HAL_STATUS_INVALID_ARGUMENT);
}

// Only lower values come first: a signal may overtake work that moves the timeline further.
TEST_F(SubmissionQueueTest, ASignalFromOutsideComesBeforeHigherPendingOnes) {
  const auto timeline = MakeSemaphore();
  ASSERT_EQ(Fill(0, {}, {{timeline.get(), 5}}), HAL_STATUS_OK);
  ASSERT_EQ(hal_semaphore_signal(timeline.get(), 3), HAL_STATUS_OK);
  EXPECT_EQ(Value(timeline), 3u);
  lanes_[0]->Complete(1);
  EXPECT_EQ(Wait(timeline, 5), HAL_STATUS_OK);
}

TEST_F(SubmissionQueueTest, ASignalFromOutsideThatWaitsFailsWithItsTimeline) {
  const auto timeline = MakeSemaphore();
  ASSERT_EQ(Fill(0, {}, {{timeline.get(), 1}}), HAL_STATUS_OK);
  ASSERT_EQ(hal_semaphore_signal(timeline.get(), 2), HAL_STATUS_OK);
  ASSERT_EQ(hal_semaphore_fail(timeline.get(), HAL_STATUS_ABORTED, hal_string_view("given up")), HAL_STATUS_OK);
  EXPECT_EQ(Wait(timeline, 2), HAL_STATUS_ABORTED);
  EXPECT_EQ(hal_semaphore_signal(timeline.get(), 3), HAL_STATUS_ABORTED);
}

// A device's own work is outside for the timelines of another device, whose work it may depend on in ways of its own.
TEST_F(SubmissionQueueTest, WorkOfAnotherDeviceSignalsAfterPendingOnes) {
  const auto timeline = MakeSemaphore();
  Ref<hal_device_t> other;
  ASSERT_EQ(
      hal_registry_create_device(hal_registry_default(), hal_string_view("local://sync"), 0, nullptr, other.out()),
      HAL_STATUS_OK);
  ASSERT_EQ(Fill(0, {}, {{timeline.get(), 1}}), HAL_STATUS_OK);
  const hal_timeline_point_t point = {timeline.get(), 2};
  ASSERT_EQ(hal_device_queue_barrier(other.get(),
                                     hal::SubmitParams(hal_semaphore_list_empty(), hal_semaphore_list(&point, 1))),
            HAL_STATUS_OK);
  EXPECT_EQ(Value(timeline), 0u);
  lanes_[0]->Complete(1);
  EXPECT_EQ(Wait(timeline, 2), HAL_STATUS_OK);
}

// The signal comes from one thread while another one retires the work that it comes after.
TEST_F(SubmissionQueueTest, SignalsFromOutsideRiseWithWorkThatEndsMeanwhile) {
  const auto timeline = MakeSemaphore();
  for (uint64_t round = 1; round <= 2000; ++round) {
    ASSERT_EQ(Fill(0, {}, {{timeline.get(), 2 * round - 1}}), HAL_STATUS_OK);
    lanes_[0]->Complete(round);
    ASSERT_EQ(hal_semaphore_signal(timeline.get(), 2 * round), HAL_STATUS_OK) << hal_last_error_message();
  }
  EXPECT_EQ(Wait(timeline, 4000), HAL_STATUS_OK);
}

TEST_F(SubmissionQueueTest, NothingIsHandedOverBeforeItsSignalIs) {
  const auto gate = MakeSemaphore();
  ASSERT_EQ(Fill(0, {{gate.get(), 1}}, {}), HAL_STATUS_OK);
  EXPECT_THAT(lanes_[0]->batches(), testing::IsEmpty());
  ASSERT_EQ(hal_semaphore_signal(gate.get(), 1), HAL_STATUS_OK);
  EXPECT_THAT(lanes_[0]->batches(), testing::SizeIs(1));
}

TEST_F(SubmissionQueueTest, BarrierFollowsTheOneSubmissionThatItComesAfter) {
  const auto timeline = MakeSemaphore();
  ASSERT_EQ(Fill(0, {}, {{timeline.get(), 1}}), HAL_STATUS_OK);
  const hal_timeline_point_t wait = {timeline.get(), 1};
  const hal_timeline_point_t signal = {timeline.get(), 2};
  ASSERT_EQ(hal_device_queue_barrier(device_.get(), hal::SubmitParams(hal_semaphore_list(&wait, 1),
                                                                      hal_semaphore_list(&signal, 1), Queue(1))),
            HAL_STATUS_OK);
  EXPECT_THAT(lanes_[1]->batches(), testing::IsEmpty());
  EXPECT_EQ(Value(timeline), 0u);
  lanes_[0]->Complete(1);
  EXPECT_EQ(Wait(timeline, 2), HAL_STATUS_OK);
}

TEST_F(SubmissionQueueTest, WhatOneSignalReleasesIsHandedOverTogether) {
  Open(16);
  const auto gate = MakeSemaphore();
  const auto done = MakeSemaphore();
  for (uint64_t i = 1; i <= 20; ++i) ASSERT_EQ(Fill(0, {{gate.get(), 1}}, {{done.get(), i}}), HAL_STATUS_OK);
  ASSERT_EQ(hal_semaphore_signal(gate.get(), 1), HAL_STATUS_OK);
  const auto batches = lanes_[0]->batches();
  ASSERT_THAT(batches, testing::SizeIs(2));
  EXPECT_EQ(batches[0].actions, 16u);
  EXPECT_EQ(batches[1].actions, 4u);
  lanes_[0]->Complete(1);
  EXPECT_EQ(Wait(done, 16), HAL_STATUS_OK) << "all of a batch end with its epoch, in their order";
  EXPECT_EQ(Value(done), 16u);
  lanes_[0]->Complete(2);
  EXPECT_EQ(Wait(done, 20), HAL_STATUS_OK);
}

TEST_F(SubmissionQueueTest, BatchComesAfterAllThatItsOperationsComeAfter) {
  Open(16);
  const auto gate = MakeSemaphore();
  const auto first = MakeSemaphore();
  const auto second = MakeSemaphore();
  const auto done = MakeSemaphore();
  ASSERT_EQ(Fill(0, {}, {{first.get(), 1}}), HAL_STATUS_OK);
  ASSERT_EQ(Fill(1, {}, {{second.get(), 1}}), HAL_STATUS_OK);
  ASSERT_EQ(Fill(2, {{gate.get(), 1}, {first.get(), 1}}, {{done.get(), 1}}), HAL_STATUS_OK);
  ASSERT_EQ(Fill(2, {{gate.get(), 1}, {second.get(), 1}}, {{done.get(), 2}}), HAL_STATUS_OK);
  ASSERT_EQ(hal_semaphore_signal(gate.get(), 1), HAL_STATUS_OK);
  ASSERT_THAT(lanes_[2]->batches(), testing::SizeIs(1));
  EXPECT_EQ(lanes_[2]->batches()[0].predecessors, Queue(0) | Queue(1));
  lanes_[2]->Complete(1);
  EXPECT_EQ(Wait(done, 2), HAL_STATUS_OK);
  EXPECT_EQ(Wait(first, 1), HAL_STATUS_OK);
  EXPECT_EQ(Wait(second, 1), HAL_STATUS_OK);
}

TEST_F(SubmissionQueueTest, RefusedBatchFailsItsOwnSignalsOnly) {
  Open(16);
  const auto gate = MakeSemaphore();
  const auto one = MakeSemaphore();
  const auto two = MakeSemaphore();
  const auto later = MakeSemaphore();
  ASSERT_EQ(Fill(0, {{gate.get(), 1}}, {{one.get(), 1}}), HAL_STATUS_OK);
  ASSERT_EQ(Fill(0, {{gate.get(), 1}}, {{two.get(), 1}}), HAL_STATUS_OK);
  lanes_[0]->FailNext(HAL_STATUS_RESOURCE_EXHAUSTED, Lane::Handed::kNothing);
  ASSERT_EQ(hal_semaphore_signal(gate.get(), 1), HAL_STATUS_OK);
  for (const auto& failed : {one, two}) {
    EXPECT_EQ(Wait(failed, 1), HAL_STATUS_RESOURCE_EXHAUSTED);
    EXPECT_THAT(hal_last_error_message(), testing::HasSubstr("the lane fails"));
  }
  ASSERT_EQ(Fill(0, {}, {{later.get(), 1}}), HAL_STATUS_OK);
  lanes_[0]->Complete(1);
  EXPECT_EQ(Wait(later, 1), HAL_STATUS_OK);
}

// It must not overtake what it comes after: both move the same timeline.
TEST_F(SubmissionQueueTest, RefusedOperationFailsAfterWhatItComesAfter) {
  const auto timeline = MakeSemaphore();
  ASSERT_EQ(Fill(0, {}, {{timeline.get(), 1}}), HAL_STATUS_OK);
  lanes_[1]->FailNext(HAL_STATUS_RESOURCE_EXHAUSTED, Lane::Handed::kNothing);
  ASSERT_EQ(Fill(1, {{timeline.get(), 1}}, {{timeline.get(), 2}}), HAL_STATUS_OK);
  EXPECT_EQ(Value(timeline), 0u);
  lanes_[0]->Complete(1);
  EXPECT_EQ(Wait(timeline, 1), HAL_STATUS_OK);
  EXPECT_EQ(Wait(timeline, 2), HAL_STATUS_RESOURCE_EXHAUSTED);
}

TEST_F(SubmissionQueueTest, LaneThatTakesNothingMustSayWhy) {
  const auto timeline = MakeSemaphore();
  lanes_[0]->FailNext(HAL_STATUS_OK, Lane::Handed::kNothing);
  ASSERT_EQ(Fill(0, {}, {{timeline.get(), 1}}), HAL_STATUS_OK);
  EXPECT_EQ(Wait(timeline, 1), HAL_STATUS_INTERNAL);
}

TEST_F(SubmissionQueueTest, LostDeviceIsFoundByABatchThatItRefuses) {
  Open(16);
  const auto timeline = MakeSemaphore();
  lanes_[0]->FailNext(HAL_STATUS_DEVICE_LOST, Lane::Handed::kNothing);
  ASSERT_EQ(Fill(0, {}, {{timeline.get(), 1}}), HAL_STATUS_OK);
  EXPECT_EQ(Wait(timeline, 1), HAL_STATUS_DEVICE_LOST);
  EXPECT_EQ(hal_device_query_health(device_.get()), HAL_STATUS_DEVICE_LOST);
}

TEST_F(SubmissionQueueTest, SubmissionThatIsDoneAtOnceSignals) {
  const auto timeline = MakeSemaphore();
  lanes_[0]->FailNext(HAL_STATUS_OK, Lane::Handed::kDone);
  ASSERT_EQ(Fill(0, {}, {{timeline.get(), 1}}), HAL_STATUS_OK);
  EXPECT_EQ(Wait(timeline, 1), HAL_STATUS_OK);
  EXPECT_EQ(lanes_[0]->Completed(), 0u);
}

TEST_F(SubmissionQueueTest, EndThatCannotBeToldLosesTheDevice) {
  const auto timeline = MakeSemaphore();
  lanes_[0]->FailNext(HAL_STATUS_INTERNAL, Lane::Handed::kInFlight);
  ASSERT_EQ(Fill(0, {}, {{timeline.get(), 1}}), HAL_STATUS_OK);
  EXPECT_EQ(Wait(timeline, 1), HAL_STATUS_DEVICE_LOST);
  EXPECT_THAT(hal_last_error_message(), testing::HasSubstr("the lane fails"));
  EXPECT_EQ(hal_device_query_health(device_.get()), HAL_STATUS_DEVICE_LOST);
}

// Perhaps the device still works: only one that says DEVICE_LOST does not.
TEST_F(SubmissionQueueTest, LostDeviceKeepsMemoryThatItMayStillUse) {
  for (const hal_status_t status : {HAL_STATUS_INTERNAL, HAL_STATUS_DEVICE_LOST}) {
    Open(1);
    std::promise<void> promise;
    const auto released = promise.get_future();
    std::function<void()> on_release = [&promise] { promise.set_value(); };
    buffer_ = Import(on_release);
    const auto timeline = MakeSemaphore();
    lanes_[0]->FailNext(status, Lane::Handed::kInFlight);
    ASSERT_EQ(Fill(0, {}, {{timeline.get(), 1}}), HAL_STATUS_OK);
    buffer_ = {};
    EXPECT_EQ(Wait(timeline, 1), HAL_STATUS_DEVICE_LOST);
    if (status == HAL_STATUS_INTERNAL) {
      EXPECT_EQ(released.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
      lanes_[0]->Complete(1);
    }
    EXPECT_EQ(released.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  }
}

// Each of them, as it is ended, completes the next one and asks for it.
TEST_F(SubmissionQueueTest, ThreadEndsOthersWorkForABoundedTime) {
  constexpr uint64_t kCount = 200;
  const auto timeline = MakeSemaphore();
  std::atomic<uint64_t> ended{0};
  std::atomic<uint64_t> ended_here{0};
  const auto here = std::this_thread::get_id();
  std::function<void()> on_release = [&] {
    if (std::this_thread::get_id() == here) ++ended_here;
    lanes_[0]->Complete(++ended + 1);
    Value(timeline);
  };
  for (uint64_t i = 1; i <= kCount; ++i) {
    buffer_ = Import(on_release);
    ASSERT_EQ(Fill(0, {}, {{timeline.get(), i}}), HAL_STATUS_OK);
  }
  buffer_ = {};
  lanes_[0]->Complete(1);
  Value(timeline);
  EXPECT_LE(ended_here, 50u);
  EXPECT_EQ(Wait(timeline, kCount), HAL_STATUS_OK);
  EXPECT_EQ(ended, kCount);
}

/// Asks about points on two timelines, while work that signals the first one is done but not ended. If the asking
/// thread ends it, its release callback gives up the references to both timelines and to the fence.
class SubmissionQueueAskingTest : public SubmissionQueueTest {
 protected:
  void SetUp() override {
    SubmissionQueueTest::SetUp();
    first_ = MakeSemaphore();
    second_ = MakeSemaphore();
    ASSERT_EQ(hal_fence_create(2, fence_.out()), HAL_STATUS_OK);
    ASSERT_EQ(hal_fence_insert(fence_.get(), first_.get(), 1), HAL_STATUS_OK);
    ASSERT_EQ(hal_fence_insert(fence_.get(), second_.get(), 1), HAL_STATUS_OK);
    on_release_ = [this, here = std::this_thread::get_id()] {
      if (std::this_thread::get_id() == here) GiveUp();
      released_.set_value();
    };
    buffer_ = Import(on_release_);
    ASSERT_EQ(Fill(0, {}, {{first_.get(), 1}}), HAL_STATUS_OK);
    buffer_ = {};
    lanes_[0]->Complete(1);
  }
  void TearDown() override {
    EXPECT_EQ(released_.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
    SubmissionQueueTest::TearDown();
  }
  void GiveUp() {
    fence_ = {};
    first_ = {};
    second_ = {};
  }

  Ref<hal_fence_t> fence_;
  Ref<hal_semaphore_t> first_;
  Ref<hal_semaphore_t> second_;
  std::promise<void> released_;
  std::function<void()> on_release_;
};

TEST_F(SubmissionQueueAskingTest, AFenceMayGoWhileItIsQueried) {
  EXPECT_EQ(hal_fence_query(fence_.get()), HAL_STATUS_DEADLINE_EXCEEDED);
}

TEST_F(SubmissionQueueAskingTest, SemaphoresOfAListMayGoWhileTheyAreAsked) {
  const Points points = {{first_.get(), 1}, {second_.get(), 1}};
  EXPECT_EQ(hal_semaphore_list_wait(hal_semaphore_list(points.data(), 2), HAL_WAIT_ALL, 0, nullptr),
            HAL_STATUS_DEADLINE_EXCEEDED);
}

TEST_F(SubmissionQueueAskingTest, ASemaphoreMayGoWhileItIsWaitedForInVain) {
  EXPECT_EQ(hal_semaphore_wait(first_.get(), 2, 0), HAL_STATUS_DEADLINE_EXCEEDED);
}

TEST_F(SubmissionQueueTest, RequestsInAnyOrderAreServed) {
  constexpr uint64_t kCount = 300;
  std::vector<Ref<hal_semaphore_t>> timelines;
  for (uint64_t i = 0; i < kCount; ++i) {
    timelines.push_back(MakeSemaphore());
    ASSERT_EQ(Fill(0, {}, {{timelines.back().get(), 1}}), HAL_STATUS_OK);
  }
  std::atomic<uint64_t> reached{0};
  const auto count = [](void* counter, hal_status_t, hal_string_view_t) {
    ++*static_cast<std::atomic<uint64_t>*>(counter);
  };
  for (uint64_t i = 0; i < kCount; ++i) {
    const Ref<hal_semaphore_t>& timeline = timelines[i * 7 % kCount];  // every one, as 7 does not divide the number
    ASSERT_EQ(hal_semaphore_notify(timeline.get(), 1, count, &reached, nullptr), HAL_STATUS_OK);
  }
  for (uint64_t epoch = 50; epoch <= kCount; epoch += 50) {
    lanes_[0]->Complete(epoch);
    while (reached < epoch) std::this_thread::yield();
    EXPECT_EQ(reached, epoch);
  }
}

}  // namespace
}  // namespace halyard
