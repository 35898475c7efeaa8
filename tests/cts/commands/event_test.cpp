// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events: order inside one execution of a command buffer.
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"

namespace halyard::cts {
namespace {

constexpr size_t kEventWords = 16 * 1024;
constexpr uint64_t kEventLength = kEventWords * sizeof(uint32_t);

class EventTest : public DeviceTest {
 protected:
  hal_status_t Run(const CommandBuffer& commands) const {
    const Semaphore done = CreateSemaphore();
    const hal_status_t status = device().QueueExecute(kNoWaits, {{done, 1}}, commands);
    return status == HAL_STATUS_OK ? done.Wait(1) : status;
  }
  Buffer Words(uint32_t value) const { return device().CreateBufferOf(std::vector<uint32_t>(kEventWords, value)); }
  void ExpectWords(const Buffer& buffer, uint32_t value) const {
    EXPECT_TRUE(SameElements(Download<uint32_t>(buffer), std::vector<uint32_t>(kEventWords, value)));
  }
  /// A recording that has begun.
  CommandBuffer Begun() const {
    CommandBuffer commands = device().CreateCommandBuffer();
    Check(commands.Begin(), "hal_command_buffer_begin");
    return commands;
  }

  const Event event_ = device().CreateEvent();
  const Event other_ = device().CreateEvent();
};

// --- Order ---

/// A command that writes `target` with what `source` has.
struct Work {
  const char* name;
  hal_status_t (*copy)(const CommandBuffer& c, const Executable& kernels, const Buffer& source, const Buffer& target);
};
void PrintTo(const Work& work, std::ostream* out) { *out << work.name; }

const Work kWork[] = {
    {"Copy", [](const CommandBuffer& c, const Executable&, const Buffer& source,
                const Buffer& target) { return c.Copy(source, target); }},
    {"Dispatch",
     [](const CommandBuffer& c, const Executable& kernels, const Buffer& source, const Buffer& target) {
       return c.Dispatch(kernels, "add_constant",
                         Dispatch().Workgroups(kEventWords / 64).Constant(uint32_t{0}).Bind(source).Bind(target));
     }},
};

/// The work before an event and that after it.
class EventOrderTest : public EventTest, public testing::WithParamInterface<std::tuple<Work, Work>> {
 protected:
  hal_status_t First(const CommandBuffer& c, const Buffer& source, const Buffer& target) const {
    return std::get<0>(GetParam()).copy(c, kernels_, source, target);
  }
  hal_status_t Second(const CommandBuffer& c, const Buffer& source, const Buffer& target) const {
    return std::get<1>(GetParam()).copy(c, kernels_, source, target);
  }

  const Executable kernels_ = LoadKernels("basic");
};

TEST_P(EventOrderTest, WaitSeesWhatTheSignalCovered) {
  const Buffer a = Words(1);
  const Buffer b = Words(2);
  const Buffer c = Words(3);
  const CommandBuffer commands = device().Record([&](const CommandBuffer& r) {
    Check(First(r, a, b), "first");
    Check(r.SignalEvent(event_), "signal_event");
    Check(r.WaitEvents({event_}), "wait_events");
    Check(Second(r, b, c), "second");
  });
  ASSERT_OK(Run(commands));
  ExpectWords(c, 1);
}

TEST_P(EventOrderTest, WorkMayStandBetweenSignalAndWait) {
  const Buffer a = Words(1);
  const Buffer b = Words(2);
  const Buffer c = Words(3);
  const Buffer unrelated = Words(4);
  const CommandBuffer commands = device().Record([&](const CommandBuffer& r) {
    Check(First(r, a, b), "first");
    Check(r.SignalEvent(event_), "signal_event");
    for (uint32_t i = 0; i < 8; ++i) Check(r.Fill(Ref(unrelated, i * kEventLength / 8, kEventLength / 8), i), "fill");
    Check(r.WaitEvents({event_}), "wait_events");
    Check(Second(r, b, c), "second");
  });
  ASSERT_OK(Run(commands));
  ExpectWords(c, 1);
  EXPECT_EQ(Download<uint32_t>(unrelated, kEventLength - 4).front(), 7u);
}

// The reader of the old contents is done before they are overwritten.
TEST_P(EventOrderTest, OverwritingWaitsForTheReader) {
  const Buffer a = Words(1);
  const Buffer b = Words(2);
  const Buffer c = Words(3);
  const CommandBuffer commands = device().Record([&](const CommandBuffer& r) {
    Check(First(r, a, b), "first");
    Check(r.SignalEvent(event_), "signal_event");
    Check(r.WaitEvents({event_}), "wait_events");
    Check(Second(r, c, a), "second");
  });
  ASSERT_OK(Run(commands));
  ExpectWords(b, 1);
  ExpectWords(a, 3);
}

INSTANTIATE_TEST_SUITE_P(Work, EventOrderTest, testing::Combine(testing::ValuesIn(kWork), testing::ValuesIn(kWork)),
                         ByParts);

TEST_F(EventTest, WaitForSeveral) {
  constexpr size_t kParts = 8;
  constexpr uint64_t kPart = kEventLength / kParts;
  const Buffer a = Words(1);
  const Buffer b = Words(2);
  std::vector<Event> events;
  for (size_t i = 0; i < kParts; ++i) events.push_back(device().CreateEvent());
  const CommandBuffer commands = device().Record([&](const CommandBuffer& c) {
    for (uint32_t i = 0; i < kParts; ++i) {
      Check(c.Fill(Ref(a, i * kPart, kPart), 10 + i), "fill");
      Check(c.SignalEvent(events[i]), "signal_event");
    }
    Check(c.WaitEvents({events.begin(), events.end()}), "wait_events");
    Check(c.Copy(a, b), "copy");
  });
  ASSERT_OK(Run(commands));
  const std::vector<uint32_t> words = Download<uint32_t>(b);
  for (size_t i = 0; i < kEventWords; ++i) ASSERT_EQ(words[i], 10 + i / (kEventWords / kParts));
}

TEST_F(EventTest, OneSignalManyWaits) {
  const Buffer a = Words(1);
  const Buffer b = Words(2);
  const Buffer d = Words(4);
  const CommandBuffer commands = device().Record([&](const CommandBuffer& c) {
    Check(c.Fill(a, uint32_t{9}), "fill");
    Check(c.SignalEvent(event_), "signal_event");
    Check(c.WaitEvents({event_}), "wait_events");
    Check(c.Copy(a, b), "copy");
    Check(c.WaitEvents({event_}), "wait_events");
    Check(c.Copy(a, d), "copy");
  });
  ASSERT_OK(Run(commands));
  ExpectWords(b, 9);
  ExpectWords(d, 9);
}

TEST_F(EventTest, ChainOfEvents) {
  const Executable kernels = LoadKernels("basic");
  const Buffer a = Words(0);
  std::vector<Event> events;
  for (int i = 0; i < 30; ++i) events.push_back(device().CreateEvent());
  const CommandBuffer commands = device().Record([&](const CommandBuffer& c) {
    for (const Event& event : events) {
      Check(c.Dispatch(kernels, "add_one", Dispatch().Workgroups(kEventWords / 64).Bind(a)), "dispatch");
      Check(c.SignalEvent(event), "signal_event");
      Check(c.WaitEvents({event}), "wait_events");
    }
  });
  ASSERT_OK(Run(commands));
  ExpectWords(a, 30);
}

// --- One execution at a time ---

TEST_F(EventTest, StartsOutResetInEachExecution) {
  const Executable kernels = LoadKernels("basic");
  const Buffer a = Words(0);
  const CommandBuffer commands = device().Record([&](const CommandBuffer& c) {
    Check(c.Dispatch(kernels, "add_one", Dispatch().Workgroups(kEventWords / 64).Bind(a)), "dispatch");
    Check(c.SignalEvent(event_), "signal_event");
    Check(c.WaitEvents({event_}), "wait_events");
    Check(c.Dispatch(kernels, "add_one", Dispatch().Workgroups(kEventWords / 64).Bind(a)), "dispatch");
  });
  for (int i = 0; i < 5; ++i) ASSERT_OK(Run(commands));
  ExpectWords(a, 10);
}

TEST_F(EventTest, ExecutionsAtOnceDoNotShareItsState) {
  constexpr size_t kExecutions = 8;
  const CommandBuffer commands = device().Record(
      [&](const CommandBuffer& c) {
        Check(c.Fill(Slot(0), uint32_t{5}), "fill");
        Check(c.SignalEvent(event_), "signal_event");
        Check(c.WaitEvents({event_}), "wait_events");
        Check(c.Copy(Slot(0), Slot(1)), "copy");
      },
      0, 2);
  const Semaphore gate = CreateSemaphore();
  std::vector<Buffer> results;
  std::vector<Semaphore> done;
  for (size_t i = 0; i < kExecutions; ++i) {
    results.push_back(Words(0));
    done.push_back(CreateSemaphore());
    ASSERT_OK(device().QueueExecute({{gate, 1}}, {{done[i], 1}}, commands, {Words(1), results[i]}, device().Queue(i)));
  }
  ASSERT_OK(gate.Signal(1));
  for (size_t i = 0; i < kExecutions; ++i) {
    ASSERT_OK(done[i].Wait(1));
    ExpectWords(results[i], 5);
  }
}

TEST_F(EventTest, OneEventInTwoRecordings) {
  const Buffer a = Words(1);
  const Buffer b = Words(2);
  const auto record = [&](uint32_t value, const Buffer& target) {
    return device().Record([&](const CommandBuffer& c) {
      Check(c.Fill(target, value), "fill");
      Check(c.SignalEvent(event_), "signal_event");
      Check(c.WaitEvents({event_}), "wait_events");
    });
  };
  ASSERT_OK(Run(record(7, a)));
  ASSERT_OK(Run(record(8, b)));
  ExpectWords(a, 7);
  ExpectWords(b, 8);
}

// A signal in one command buffer is none in another.
TEST_F(EventTest, OtherRecordingsSignalsDoNotCount) {
  ASSERT_OK(Run(device().Record([&](const CommandBuffer& c) { Check(c.SignalEvent(event_), "signal_event"); })));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, Begun().WaitEvents({event_}));
}

TEST_F(EventTest, SignalWithoutAWaitIsHarmless) {
  const Buffer a = Words(1);
  const CommandBuffer commands = device().Record([&](const CommandBuffer& c) {
    Check(c.SignalEvent(event_), "signal_event");
    Check(c.Fill(a, uint32_t{6}), "fill");
    Check(c.SignalEvent(other_), "signal_event");
  });
  ASSERT_OK(Run(commands));
  ExpectWords(a, 6);
}

TEST_F(EventTest, WaitForNoneIsHarmless) {
  EXPECT_OK(Run(device().Record([&](const CommandBuffer& c) { Check(c.WaitEvents({}), "wait_events"); })));
}

// --- Refusals ---

TEST_F(EventTest, WaitBeforeTheSignalIsAFailedPrecondition) {
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, Begun().WaitEvents({event_}));
}

TEST_F(EventTest, OneUnsignalledAmongManyIsAFailedPrecondition) {
  const CommandBuffer commands = Begun();
  ASSERT_OK(commands.SignalEvent(event_));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, commands.WaitEvents({event_, other_}));
}

TEST_F(EventTest, OfAnotherDeviceIsInvalid) {
  const Device other = OpenSecondDevice();
  const Event foreign = other.CreateEvent();
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Begun().SignalEvent(foreign));
  EXPECT_NE(Begun().WaitEvents({foreign}), HAL_STATUS_OK);
}

TEST_F(EventTest, NullIsInvalid) {
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Begun().SignalEvent(Event()));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Begun().WaitEvents({nullptr}));
}

// --- Lifetime ---

TEST_F(EventTest, RecordingKeepsIt) {
  const Buffer a = Words(1);
  const Buffer b = Words(2);
  CommandBuffer commands;
  {
    const Event event = device().CreateEvent();
    commands = device().Record([&](const CommandBuffer& c) {
      Check(c.Fill(a, uint32_t{3}), "fill");
      Check(c.SignalEvent(event), "signal_event");
      Check(c.WaitEvents({event}), "wait_events");
      Check(c.Copy(a, b), "copy");
    });
  }
  const Event takes_its_place = device().CreateEvent();
  ASSERT_OK(Run(commands));
  ExpectWords(b, 3);
}

TEST_F(EventTest, KeepsItsDevice) {
  Event event;
  {
    const Device other = OpenSecondDevice();
    event = other.CreateEvent();
  }
  event.reset();
}

}  // namespace
}  // namespace halyard::cts
