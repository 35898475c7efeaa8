// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events and streams of the application in one order with queues.
#include <deque>
#include <numeric>
#include <optional>
#include <thread>

#include "halyard/cpp/submit.hpp"
#include "interop_test.h"

namespace halyard::interop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class InteropOrderTest : public InteropTest {
 protected:
  void Record(Event event, Stream stream) {
    ASSERT_DONE(OnDevice([&] { return vendor::RecordEvent(event, stream); }));
  }
  template <class Body>
  int OnDevice(const Body& body, int ordinal = 0) {
    const vendor::Current current(ordinal);
    return body();
  }
};

TEST_P(InteropOrderTest, ImportedEventIsATimepoint) {
  const Stream stream = MakeStream();
  const Event event = MakeEvent();
  const Ref<hal_semaphore_t> imported = MakeSemaphore();
  const Gate gate = Close(stream);
  Append(stream, 1);
  Record(event, stream);
  ASSERT_OK(interop().import_event(device_.get(), event, List({{imported.get(), 1}})));
  // The work behind it is in a stream already: the device waits, not the host.
  const uint64_t launches = sim().Calls(vendor::kNames.launch);
  ASSERT_OK(QueueAppend({{imported.get(), 1}}, {{imported.get(), 2}}, 2));
  EXPECT_EQ(sim().Calls(vendor::kNames.launch), launches + 1);
  EXPECT_EQ(ValueOf(imported), 0U);
  gate.Open();
  ASSERT_OK(Wait(imported, 2));
  EXPECT_THAT(Log(), ElementsAre(1, 2));
}

TEST_P(InteropOrderTest, AnEventMayGoOrBeRecordedAgainAfterTheCall) {
  const Stream stream = MakeStream();
  const Stream never = MakeStream();
  const Event event = MakeEvent();
  const Ref<hal_semaphore_t> imported = MakeSemaphore();
  const Gate gate = Close(stream);
  Close(never);
  Record(event, stream);
  ASSERT_OK(interop().import_event(device_.get(), event, List({{imported.get(), 1}})));
  Record(event, never);
  Event brief = nullptr;
  ASSERT_DONE(OnDevice([&] { return vendor::CreateEvent(&brief); }));
  Record(brief, stream);
  ASSERT_OK(interop().import_event(device_.get(), brief, List({{imported.get(), 2}})));
  ASSERT_DONE(OnDevice([&] { return vendor::DestroyEvent(brief); }));
  EXPECT_EQ(ValueOf(imported), 0U);
  gate.Open();
  EXPECT_OK(Wait(imported, 2));
}

TEST_P(InteropOrderTest, AnEventThatWasNeverRecordedIsComplete) {
  const Ref<hal_semaphore_t> imported = MakeSemaphore();
  ASSERT_OK(interop().import_event(device_.get(), MakeEvent(), List({{imported.get(), 1}})));
  EXPECT_OK(Wait(imported, 1));
}

TEST_P(InteropOrderTest, ExportedEventCompletesWithItsPoints) {
  const Stream stream = MakeStream();
  const Event event = MakeEvent();
  const Ref<hal_semaphore_t> done = MakeSemaphore();
  const Gate first = Close(QueueStream(device_, 0));
  const Gate second = Close(QueueStream(device_, 1));
  ASSERT_OK(QueueAppend({}, {{done.get(), 1}}, 1, 1));
  const Ref<hal_semaphore_t> other = MakeSemaphore();
  ASSERT_OK(hal_device_queue_barrier(device_.get(), hal::SubmitParams(List({}), List({{other.get(), 1}}), 2)));
  ASSERT_OK(interop().export_event(device_.get(), List({{done.get(), 1}, {other.get(), 1}}), event));
  ASSERT_DONE(OnDevice([&] { return vendor::WaitForEvent(stream, event); }));
  Append(stream, 2);
  second.Open();
  EXPECT_EQ(OnDevice([&] { return vendor::QueryEvent(event); }), vendor::kNames.not_ready.number);
  first.Open();
  ASSERT_DONE(OnDevice([&] { return vendor::SynchronizeStream(stream); }));
  EXPECT_THAT(Log(), ElementsAre(1, 2));
}

TEST_P(InteropOrderTest, PointsThatAreReachedMakeACompleteEvent) {
  const Event event = MakeEvent();
  const Ref<hal_semaphore_t> done = MakeSemaphore();
  ASSERT_OK(hal_semaphore_signal(done.get(), 3));
  ASSERT_OK(interop().export_event(device_.get(), List({{done.get(), 3}}), event));
  EXPECT_DONE(OnDevice([&] { return vendor::SynchronizeEvent(event); }));
}

// Over and over: stream, queue, stream, queue, each behind the other on the device.
TEST_P(InteropOrderTest, StreamAndQueueTakeTurns) {
  const Stream stream = MakeStream();
  const Ref<hal_semaphore_t> timeline = MakeSemaphore();
  constexpr uint32_t kRounds = 200;
  for (uint32_t i = 0; i < kRounds; ++i) {
    Append(stream, 2 * i);
    ASSERT_OK(interop().signal_from_stream(device_.get(), stream, List({{timeline.get(), 2 * i + 1}})));
    ASSERT_OK(QueueAppend({{timeline.get(), 2 * i + 1}}, {{timeline.get(), 2 * i + 2}}, 2 * i + 1,
                          hal_queue_mask_t{1} << i % 4));
    ASSERT_OK(interop().wait_on_stream(device_.get(), stream, List({{timeline.get(), 2 * i + 2}})));
  }
  ASSERT_DONE(OnDevice([&] { return vendor::SynchronizeStream(stream); }));
  std::vector<uint32_t> expected(2 * kRounds);
  std::iota(expected.begin(), expected.end(), 0U);
  EXPECT_EQ(Log(), expected);
  EXPECT_OK(Wait(timeline, 2 * kRounds));
}

// The application knows of the end of Halyard's work from the vendor's library, often before Halyard does. Its own next
// value never finds the timeline standing behind, whether a thread signals it or an event on another stream.
TEST_P(InteropOrderTest, AnAnswerIsSignalledAfterTheWorkThatItFollows) {
  const Stream stream = MakeStream();
  const Event seen = MakeEvent(), answer = MakeEvent();
  const Ref<hal_semaphore_t> order = MakeSemaphore();
  constexpr uint32_t kFrames = 300;
  for (uint32_t frame = 0; frame < kFrames; ++frame) {
    const Points done = {{order.get(), 2 * frame + 1}}, answered = {{order.get(), 2 * frame + 2}};
    ASSERT_OK(QueueAppend({{order.get(), 2 * frame}}, done, frame, hal_queue_mask_t{1} << frame % 4));
    ASSERT_OK(interop().export_event(device_.get(), List(done), seen));
    ASSERT_DONE(OnDevice([&] { return vendor::SynchronizeEvent(seen); }));
    if (frame % 2 == 0) {
      ASSERT_OK(hal_semaphore_signal(order.get(), answered[0].value));
    } else {
      Record(answer, stream);
      ASSERT_OK(interop().import_event(device_.get(), answer, List(answered)));
    }
  }
  EXPECT_OK(Wait(order, 2 * kFrames));
  EXPECT_EQ(Log().size(), kFrames);
}

// Whether the work before it has ended or not: a thread's signal is on its way, so the device can wait for it.
TEST_P(InteropOrderTest, AThreadsSignalBehindPendingWorkCanBeWaitedForOnTheDevice) {
  const Stream stream = MakeStream();
  const Event answered = MakeEvent();
  const Ref<hal_semaphore_t> order = MakeSemaphore();
  const Gate gate = Close(QueueStream(device_, 0));
  ASSERT_OK(QueueAppend({}, {{order.get(), 1}}, 1));
  ASSERT_OK(hal_semaphore_signal(order.get(), 2));
  ASSERT_OK(hal_semaphore_signal(order.get(), 4));
  ASSERT_OK(interop().export_event(device_.get(), List({{order.get(), 2}}), answered));
  ASSERT_OK(interop().wait_on_stream(device_.get(), stream, List({{order.get(), 3}})));
  Append(stream, 2);
  EXPECT_EQ(OnDevice([&] { return vendor::QueryEvent(answered); }), vendor::kNames.not_ready.number);
  EXPECT_EQ(ValueOf(order), 0U);
  gate.Open();
  ASSERT_DONE(OnDevice([&] { return vendor::SynchronizeStream(stream); }));
  EXPECT_DONE(OnDevice([&] { return vendor::SynchronizeEvent(answered); }));
  EXPECT_THAT(Log(), ElementsAre(1, 2));
  EXPECT_OK(Wait(order, 4));
}

// The application saw the end of the first one, so the second one needs no wait, on whichever queue it runs.
TEST_P(InteropOrderTest, WorkThatTheApplicationSawEndIsSignalledFirst) {
  const Event seen = MakeEvent();
  const Ref<hal_semaphore_t> order = MakeSemaphore();
  constexpr uint32_t kFrames = 100;
  for (uint32_t frame = 0; frame < kFrames; ++frame) {
    const Points done = {{order.get(), frame + 1}};
    ASSERT_OK(QueueAppend({}, done, frame, hal_queue_mask_t{1} << frame % 4));
    ASSERT_OK(interop().export_event(device_.get(), List(done), seen));
    ASSERT_DONE(OnDevice([&] { return vendor::SynchronizeEvent(seen); }));
  }
  EXPECT_OK(Wait(order, kFrames));
  EXPECT_EQ(ValueOf(order), kFrames);
}

TEST_P(InteropOrderTest, TheDefaultStreamTakesPart) {
  const Ref<hal_semaphore_t> timeline = MakeSemaphore();
  Append(nullptr, 1);
  ASSERT_OK(interop().signal_from_stream(device_.get(), nullptr, List({{timeline.get(), 1}})));
  ASSERT_OK(QueueAppend({{timeline.get(), 1}}, {{timeline.get(), 2}}, 2));
  ASSERT_OK(interop().wait_on_stream(device_.get(), nullptr, List({{timeline.get(), 2}})));
  Append(nullptr, 3);
  ASSERT_DONE(OnDevice([&] { return vendor::SynchronizeStream(nullptr); }));
  EXPECT_THAT(Log(), ElementsAre(1, 2, 3));
  EXPECT_OK(Wait(timeline, 2));
}

// Handles are addresses, which a vendor may use again once a stream is destroyed.
TEST_P(InteropOrderTest, AStreamAtTheAddressOfAnotherIsItsOwn) {
  constexpr int kTries = 3000;
  const vendor::Current current(0);
  const Ref<hal_semaphore_t> timeline = MakeSemaphore();
  const auto use = [&](Stream stream, uint32_t number) {
    ASSERT_OK(interop().begin_stream(device_.get(), stream));
    ASSERT_OK(QueueAppend({}, {{timeline.get(), 2 * number - 1}}, number));
    ASSERT_OK(interop().end_stream(device_.get()));
    ASSERT_OK(interop().signal_from_stream(device_.get(), stream, List({{timeline.get(), 2 * number}})));
  };
  Stream first = nullptr;
  ASSERT_DONE(vendor::CreateStream(&first));
  use(first, 1);
  ASSERT_OK(Wait(timeline, 2));
  ASSERT_DONE(vendor::SynchronizeStream(first));
  ASSERT_DONE(vendor::DestroyStream(first));
  Stream again = nullptr;
  for (int i = 0; i < kTries && again != first; ++i) {
    if (again) ASSERT_DONE(vendor::DestroyStream(again));
    ASSERT_DONE(vendor::CreateStream(&again));
  }
  if (again == first) {
    const Gate gate = Close(again);
    use(again, 2);
    EXPECT_EQ(ValueOf(timeline), 2U);
    gate.Open();
    EXPECT_OK(Wait(timeline, 4));
    EXPECT_THAT(Log(), ElementsAre(1, 2));
  }
  ASSERT_DONE(vendor::SynchronizeStream(again));
  ASSERT_DONE(vendor::DestroyStream(again));
  if (again != first) GTEST_SKIP() << "no address was used again";
}

// A stream that waited for a signal not yet submitted could block the work that would signal it.
TEST_P(InteropOrderTest, WhatIsNotSubmittedIsRefused) {
  const Stream stream = MakeStream();
  const Event event = MakeEvent();
  const Ref<hal_semaphore_t> never = MakeSemaphore();
  const Points waits = {{never.get(), 1}};
  EXPECT_EQ(interop().wait_on_stream(device_.get(), stream, List(waits)), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("wait_on_stream: wait_list.points[0]: the semaphore stands at 0"));
  EXPECT_EQ(interop().export_event(device_.get(), List(waits), event), HAL_STATUS_FAILED_PRECONDITION);
  // What is deferred has not been submitted to the device either.
  ASSERT_OK(QueueAppend({{never.get(), 1}}, {{never.get(), 2}}, 1));
  EXPECT_EQ(interop().wait_on_stream(device_.get(), stream, List({{never.get(), 2}})), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_DONE(OnDevice([&] { return vendor::SynchronizeStream(stream); })) << "nothing was submitted";
  ASSERT_OK(hal_semaphore_signal(never.get(), 1));
  ASSERT_OK(interop().wait_on_stream(device_.get(), stream, List({{never.get(), 2}})));
  Append(stream, 2);
  ASSERT_DONE(OnDevice([&] { return vendor::SynchronizeStream(stream); }));
  EXPECT_THAT(Log(), ElementsAre(1, 2));
}

TEST_P(InteropOrderTest, SemaphoresOfOtherDriversMustBeReached) {
  Ref<hal_device_t> local;
  ASSERT_OK(hal_device_create(hal_string_view("local://sync"), local.out()));
  const Ref<hal_semaphore_t> foreign = MakeSemaphore(local);
  const Stream stream = MakeStream();
  const Points waits = {{foreign.get(), 1}};
  EXPECT_EQ(interop().wait_on_stream(device_.get(), stream, List(waits)), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("of another driver"));
  // They can be signalled.
  ASSERT_OK(interop().signal_from_stream(device_.get(), stream, List(waits)));
  ASSERT_OK(Wait(foreign, 1));
  EXPECT_OK(interop().wait_on_stream(device_.get(), stream, List(waits)));
}

TEST_P(InteropOrderTest, AFailedSemaphoreIsNotWaitedFor) {
  const Stream stream = MakeStream();
  const Ref<hal_semaphore_t> failed = MakeSemaphore();
  ASSERT_OK(hal_semaphore_fail(failed.get(), HAL_STATUS_ABORTED, hal_string_view("no more")));
  EXPECT_EQ(interop().wait_on_stream(device_.get(), stream, List({{failed.get(), 1}})), HAL_STATUS_ABORTED);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("no more"));
}

// One event that takes long holds up no other.
TEST_P(InteropOrderTest, SlowEventsHoldUpNoOthers) {
  const Stream slow = MakeStream();
  const Stream quick = MakeStream();
  const Gate gate = Close(slow);
  const Ref<hal_semaphore_t> later = MakeSemaphore();
  const Ref<hal_semaphore_t> soon = MakeSemaphore();
  ASSERT_OK(interop().signal_from_stream(device_.get(), slow, List({{later.get(), 1}})));
  for (uint64_t i = 1; i <= 20; ++i) {
    ASSERT_OK(interop().signal_from_stream(device_.get(), quick, List({{soon.get(), i}})));
    ASSERT_OK(Wait(soon, i));
  }
  EXPECT_EQ(ValueOf(later), 0U);
  gate.Open();
  EXPECT_OK(Wait(later, 1));
}

// The values of a timeline come in the order of the calls, whatever is done first.
TEST_P(InteropOrderTest, SignalsOfOneSemaphoreComeInOrder) {
  const Ref<hal_semaphore_t> timeline = MakeSemaphore();
  std::vector<Gate> gates;
  for (uint64_t i = 1; i <= 9; ++i) {
    const Stream stream = MakeStream();
    gates.push_back(Close(stream));
    ASSERT_OK(interop().signal_from_stream(device_.get(), stream, List({{timeline.get(), i}})));
  }
  for (auto gate = gates.rbegin(); gate != gates.rend(); ++gate) {
    EXPECT_EQ(ValueOf(timeline), 0U);
    gate->Open();
  }
  EXPECT_OK(Wait(timeline, 9));
}

// Without a thread for each: a hundred events at once.
TEST_P(InteropOrderTest, ManyEventsAtOnce) {
  const Stream stream = MakeStream();
  const Gate gate = Close(stream);
  std::vector<Ref<hal_semaphore_t>> imported;
  for (int i = 0; i < 100; ++i) {
    const Event event = MakeEvent();
    Record(event, stream);
    imported.push_back(MakeSemaphore());
    ASSERT_OK(interop().import_event(device_.get(), event, List({{imported.back().get(), 1}})));
  }
  gate.Open();
  for (const Ref<hal_semaphore_t>& semaphore : imported) EXPECT_OK(Wait(semaphore, 1));
}

TEST_P(InteropOrderTest, ThreadsWithStreamsOfTheirOwn) {
  std::vector<Stream> streams;
  for (int i = 0; i < 4; ++i) streams.push_back(MakeStream());
  std::vector<std::thread> threads;
  for (const Stream stream : streams) {
    threads.emplace_back([this, stream] {
      const Ref<hal_semaphore_t> timeline = MakeSemaphore();
      for (uint64_t i = 0; i < 50; ++i) {
        EXPECT_OK(interop().signal_from_stream(device_.get(), stream, List({{timeline.get(), 2 * i + 1}})));
        EXPECT_OK(hal_device_queue_barrier(device_.get(), hal::SubmitParams(List({{timeline.get(), 2 * i + 1}}),
                                                                            List({{timeline.get(), 2 * i + 2}}))));
        if (i % 10 == 0) EXPECT_OK(Wait(timeline, 2 * i + 2));
        const hal_status_t status =
            interop().wait_on_stream(device_.get(), stream, List({{timeline.get(), 2 * i + 2}}));
        EXPECT_EQ(status, HAL_STATUS_OK) << hal_last_error_message();
      }
      EXPECT_OK(Wait(timeline, 100));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(InteropOrderTest, LosingTheDeviceFailsWhatAnEventStandsFor) {
  if (!vendor::SurvivesFaults()) GTEST_SKIP() << "a fault ends the process";
  sim().SetDelay(0);
  const Stream stream = MakeStream();
  const Event event = MakeEvent();
  const Ref<hal_semaphore_t> imported = MakeSemaphore();
  const Ref<hal_semaphore_t> after = MakeSemaphore();
  const Gate gate = Close(stream);
  sim().LoseDevice(0, 1, vendor::kNames.illegal_address.number);
  Append(stream, 1);
  Record(event, stream);
  ASSERT_OK(interop().import_event(device_.get(), event, List({{imported.get(), 1}})));
  ASSERT_OK(hal_device_queue_barrier(device_.get(),
                                     hal::SubmitParams(List({{imported.get(), 1}}), List({{after.get(), 1}}), 1)));
  gate.Open();
  EXPECT_EQ(Wait(imported, 1), HAL_STATUS_DEVICE_LOST);
  EXPECT_EQ(Wait(after, 1), HAL_STATUS_DEVICE_LOST);
  EXPECT_EQ(interop().import_event(device_.get(), event, List({{imported.get(), 2}})), HAL_STATUS_DEVICE_LOST);
  EXPECT_EQ(interop().wait_on_stream(device_.get(), stream, List({{imported.get(), 1}})), HAL_STATUS_DEVICE_LOST);
  EXPECT_EQ(interop().begin_stream(device_.get(), stream), HAL_STATUS_DEVICE_LOST);
  sim().Ignore("leak,destroy-in-use");  // a context that is lost takes nothing back
}

TEST_P(InteropOrderTest, BadArgumentsAreRefused) {
  const Stream stream = MakeStream();
  const Stream foreign = MakeStream(1);
  const Event event = MakeEvent();
  const Ref<hal_semaphore_t> s = MakeSemaphore();
  Ref<hal_device_t> local;
  ASSERT_OK(hal_device_create(hal_string_view("local://sync"), local.out()));
  const Points good = {{s.get(), 1}};
  const auto& table = interop();
  void* out = nullptr;
  constexpr hal_status_t kInvalid = HAL_STATUS_INVALID_ARGUMENT;
  EXPECT_EQ(table.queue_stream(device_.get(), 0, nullptr), kInvalid);
  EXPECT_EQ(table.queue_stream(device_.get(), 4, &out), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(table.import_event(nullptr, event, List(good)), kInvalid);
  EXPECT_EQ(table.import_event(local.get(), event, List(good)), kInvalid);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("local driver's"));
  EXPECT_EQ(table.import_event(device_.get(), nullptr, List(good)), kInvalid);
  EXPECT_EQ(table.import_event(device_.get(), event, hal_semaphore_list(nullptr, 1)), kInvalid);
  EXPECT_EQ(table.import_event(device_.get(), event, List({{nullptr, 1}})), kInvalid);
  EXPECT_EQ(table.import_event(device_.get(), event, List({{s.get(), 0}})), kInvalid);
  // Handles of other kinds, as bindings mix them up.
  auto* const no_semaphore = reinterpret_cast<hal_semaphore_t*>(log_buffer_.get());
  EXPECT_EQ(table.import_event(device_.get(), event, List({{no_semaphore, 1}})), kInvalid);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("import_event: signal_list.points[0].semaphore is a buffer"));
  EXPECT_EQ(table.wait_on_stream(device_.get(), stream, List({{s.get(), 0}, {no_semaphore, 1}})), kInvalid);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("wait_on_stream: wait_list.points[1].semaphore is a buffer"));
  EXPECT_EQ(table.begin_stream(reinterpret_cast<hal_device_t*>(s.get()), stream), kInvalid);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("begin_stream: device is a semaphore"));
  EXPECT_EQ(table.export_event(device_.get(), List({}), nullptr), kInvalid);
  EXPECT_EQ(table.export_event(device_.get(), List({{nullptr, 1}}), event), kInvalid);
  EXPECT_EQ(table.wait_on_stream(device_.get(), foreign, List({})), HAL_STATUS_INCOMPATIBLE);
  EXPECT_EQ(table.signal_from_stream(device_.get(), foreign, List(good)), HAL_STATUS_INCOMPATIBLE);
  EXPECT_EQ(table.begin_stream(device_.get(), foreign), HAL_STATUS_INCOMPATIBLE);
  EXPECT_EQ(table.signal_from_stream(device_.get(), stream, List({{s.get(), 0}})), kInvalid);
  const void* version2 = nullptr;
  EXPECT_EQ(hal_device_query_interface(device_.get(), hal_string_view(vendor::kNames.extension), 2, &version2),
            HAL_STATUS_UNIMPLEMENTED);
  EXPECT_EQ(Report(), "");
  // Handles of destroyed objects, or of another kind: the simulation detects them; vendors do not promise to.
  EXPECT_EQ(table.import_event(device_.get(), stream, List(good)), kInvalid);
  EXPECT_EQ(table.export_event(device_.get(), List({}), stream), kInvalid);
  EXPECT_EQ(table.export_event(device_.get(), List({}), MakeEvent(1)), kInvalid);  // cannot be recorded here
  EXPECT_EQ(table.wait_on_stream(device_.get(), event, List({})), kInvalid);
  sim().Reset();
  EXPECT_EQ(ValueOf(s), 0U);
  ASSERT_OK(table.signal_from_stream(device_.get(), stream, List(good)));  // nothing is broken
  EXPECT_OK(Wait(s, 1));
}

// Whatever a call returns, it leaves the thread's device as it found it.
TEST_P(InteropOrderTest, ContextsAreLeftAsTheyWere) {
  const Stream stream = MakeStream();
  const Stream foreign = MakeStream(1);
  const Event event = MakeEvent();
  const Ref<hal_semaphore_t> s = MakeSemaphore();
  uint64_t next = 0;
  const auto use_all = [&] {
    void* out = nullptr;
    const Points never = {{s.get(), 1'000'000}};
    EXPECT_OK(interop().queue_stream(device_.get(), 0, &out));
    EXPECT_OK(interop().import_event(device_.get(), event, List({{s.get(), ++next}})));
    EXPECT_OK(interop().export_event(device_.get(), List({{s.get(), next}}), event));
    EXPECT_OK(interop().wait_on_stream(device_.get(), stream, List({{s.get(), next}})));
    EXPECT_NE(interop().wait_on_stream(device_.get(), stream, List(never)), HAL_STATUS_OK);
    EXPECT_NE(interop().wait_on_stream(device_.get(), foreign, List({})), HAL_STATUS_OK);
    EXPECT_OK(interop().signal_from_stream(device_.get(), stream, List({{s.get(), ++next}})));
    EXPECT_OK(interop().begin_stream(device_.get(), stream));
    EXPECT_OK(QueueAppend({}, {{s.get(), ++next}}, 1));
    EXPECT_NE(QueueAppend(never, {}, 1), HAL_STATUS_OK);
    EXPECT_OK(interop().end_stream(device_.get()));
  };
  const uintptr_t first = vendor::WhatIsCurrent();
  for (const std::optional<int> ordinal : {std::optional<int>(), std::optional(0), std::optional(1)}) {
    std::optional<vendor::Current> current;
    if (ordinal) current.emplace(*ordinal);
    const uintptr_t before = vendor::WhatIsCurrent();
    use_all();
    EXPECT_EQ(vendor::WhatIsCurrent(), before);
    EXPECT_EQ(vendor::LastError(), 0);
    current.reset();
    EXPECT_EQ(vendor::WhatIsCurrent(), first);
  }
  EXPECT_OK(Wait(s, next));
}

TEST_P(InteropOrderTest, HandlesAreThoseOfTheDevice) {
  // What the application puts into a queue's stream comes in the queue's order.
  const Stream queue = QueueStream(device_, 0);
  EXPECT_NE(queue, QueueStream(device_, 1));
  const Ref<hal_semaphore_t> done = MakeSemaphore();
  ASSERT_OK(QueueAppend({}, {}, 1, 1));
  Append(queue, 2);
  ASSERT_OK(QueueAppend({}, {{done.get(), 1}}, 3, 1));
  ASSERT_OK(Wait(done, 1));
  EXPECT_THAT(Log(), ElementsAre(1, 2, 3));
}

TEST_P(InteropOrderTest, AnEventOfAnotherDeviceIsWaitedFor) {
  const Stream stream = MakeStream(1);
  const Event event = MakeEvent(1);
  const Ref<hal_semaphore_t> imported = MakeSemaphore();
  const Gate gate = Close(stream);
  ASSERT_DONE(OnDevice([&] { return vendor::RecordEvent(event, stream); }, 1));
  ASSERT_OK(interop().import_event(device_.get(), event, List({{imported.get(), 1}})));
  ASSERT_OK(QueueAppend({{imported.get(), 1}}, {{imported.get(), 2}}, 1));
  EXPECT_EQ(ValueOf(imported), 0U);
  gate.Open();
  EXPECT_OK(Wait(imported, 2));
}

// Each call of the API fails once: what fails says so, what does not works, nothing hangs.
TEST_P(InteropOrderTest, EveryCallMayFail) {
  const Stream stream = MakeStream();
  const Event event = MakeEvent();
  Record(event, stream);
  uint64_t failures = 0;
  std::deque<Ref<hal_device_t>> devices;
  for (uint64_t nth = 1; nth < 500; ++nth) {
    // A lost device is kept until the end: the next failure must not hit a call of its threads.
    if (devices.empty() || hal_device_query_health(devices.back().get()) != HAL_STATUS_OK) {
      devices.push_back(OpenDevice(0));
    }
    const Ref<hal_device_t>& device = devices.back();
    const Ref<hal_semaphore_t> imported = MakeSemaphore(device);
    const Ref<hal_semaphore_t> used = MakeSemaphore(device);
    const uint64_t before = sim().Failures();  // a thread of the device may make the call at once
    sim().Fail(nullptr, nth, vendor::kNames.unknown.number);
    std::vector<hal_status_t> results;
    results.push_back(interop().import_event(device.get(), event, List({{imported.get(), 1}})));
    if (results.back() == HAL_STATUS_OK) {
      results.push_back(interop().wait_on_stream(device.get(), stream, List({{imported.get(), 1}})));
      results.push_back(interop().export_event(device.get(), List({{imported.get(), 1}}), event));
    }
    results.push_back(interop().begin_stream(device.get(), stream));
    if (results.back() == HAL_STATUS_OK) {
      results.push_back(
          hal_device_queue_barrier(device.get(), hal::SubmitParams(List({}), List({{used.get(), 1}}), 1)));
      EXPECT_OK(interop().end_stream(device.get()));
    }
    sim().Fail(nullptr, 0, 0);
    const bool failed = sim().Failures() != before;
    failures += failed;
    for (const hal_status_t status : results) {
      const bool expected = status == HAL_STATUS_INTERNAL || status == HAL_STATUS_DEVICE_LOST;
      EXPECT_TRUE(status == HAL_STATUS_OK || (failed && expected)) << nth << ": " << status;
    }
    // A thread of the device may be the one that met the failure, and lose it for that.
    const auto ends = [&](const Ref<hal_semaphore_t>& semaphore) {
      const hal_status_t status = Wait(semaphore, 1);
      EXPECT_TRUE(status == HAL_STATUS_OK || (failed && status == HAL_STATUS_DEVICE_LOST)) << nth << ": " << status;
    };
    if (results.front() == HAL_STATUS_OK) ends(imported);
    if (results.back() == HAL_STATUS_OK) ends(used);
    // If it was the call that puts the thread's device back, that was not put back.
    vendor::ResetThread();
    if (!failed) break;
  }
  EXPECT_GT(failures, 10U);
}

INSTANTIATE_TEST_SUITE_P(Completion, InteropOrderTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
