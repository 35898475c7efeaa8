// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Labels: of objects, as messages say them, and of queue operations, as records and traces have them.
#include "halyard/label.h"

#include <algorithm>
#include <array>
#include <string>
#include <thread>
#include <vector>

#include "cts/api_objects.h"
#include "cts/cts.h"
#include "cts/devices/recorder.h"
#include "cts/queue_operations.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::cts {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;

std::string LabelOf(const void* object) { return Text(hal_object_label(object)); }
hal_status_t SetLabel(void* object, std::string_view label) { return hal_object_set_label(object, View(label)); }
std::string Message() { return hal_last_error_message(); }

/// A label of this thread.
class Label {
 public:
  explicit Label(std::string_view label) { Check(hal_push_label(View(label)), "hal_push_label"); }
  ~Label() { EXPECT_OK(hal_pop_label()); }
  Label(const Label&) = delete;
  Label& operator=(const Label&) = delete;
};

class ObjectLabelTest : public DeviceTest {};

TEST_F(ObjectLabelTest, EveryKindOfObjectHasOne) {
  ApiObjects o(device());
  void* const objects[] = {o.device.get(),    o.allocator,       o.registry.get(),   o.driver.get(), o.buffer.get(),
                           o.view.get(),      o.semaphore.get(), o.fence.get(),      o.event.get(),  o.executable.get(),
                           o.recording.get(), o.cache.get(),     o.set_layout.get(), o.layout.get(), o.file.get()};
  for (void* const object : objects) {
    EXPECT_EQ(LabelOf(object), "");
    EXPECT_OK(SetLabel(object, "first"));
    EXPECT_OK(SetLabel(object, "second"));
  }
  for (void* const object : objects) {
    EXPECT_EQ(LabelOf(object), "second");
    EXPECT_OK(SetLabel(object, ""));
    EXPECT_EQ(LabelOf(object), "");
  }
}

TEST_F(ObjectLabelTest, GoesWithTheObject) {
  for (int i = 0; i < 100; ++i) {
    const Semaphore semaphore = CreateSemaphore();
    ASSERT_EQ(LabelOf(semaphore), "") << "the label of one that was here before";
    ASSERT_OK(SetLabel(semaphore, "number " + std::to_string(i)));
    ASSERT_EQ(LabelOf(semaphore), "number " + std::to_string(i));
  }
}

TEST_F(ObjectLabelTest, ReturnedTextEndsInAZeroByte) {
  const Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(hal_object_set_label(semaphore, {"frame and more", 5}));
  EXPECT_STREQ(hal_object_label(semaphore).data, "frame");
}

TEST_F(ObjectLabelTest, UnreadableBytesAreReplaced) {
  const Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(SetLabel(semaphore, std::string_view("a\0b\nc\x7F\xFF\xC3\xA9\xE2\x82", 11)));
  EXPECT_EQ(LabelOf(semaphore), "a b c \xEF\xBF\xBD\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_F(ObjectLabelTest, LongLabelsAreCutBetweenCharacters) {
  const Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(SetLabel(semaphore, std::string(100'000, 'x')));
  EXPECT_EQ(LabelOf(semaphore), std::string(HAL_LABEL_MAX_SIZE, 'x'));
  ASSERT_OK(SetLabel(semaphore, std::string(HAL_LABEL_MAX_SIZE - 1, 'x') + "\xC3\xA9"));
  EXPECT_EQ(LabelOf(semaphore), std::string(HAL_LABEL_MAX_SIZE - 1, 'x'));
}

TEST_F(ObjectLabelTest, AnyBytesBecomeAReadableLabel) {
  SeededRandom random;
  const Semaphore semaphore = CreateSemaphore();
  for (int i = 0; i < 200; ++i) {
    const std::vector<uint8_t> bytes = random.Bytes(random.Below(1500));
    ASSERT_OK(hal_object_set_label(semaphore, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    const std::string kept = LabelOf(semaphore);
    ASSERT_LE(kept.size(), size_t{HAL_LABEL_MAX_SIZE});
    // What is readable already stays as it is.
    ASSERT_OK(SetLabel(semaphore, kept));
    ASSERT_EQ(LabelOf(semaphore), kept);
  }
}

TEST_F(ObjectLabelTest, WhatIsNoObjectIsRefused) {
  alignas(16) std::array<char, 256> nothing{};
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, SetLabel(nullptr, "x"));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, SetLabel(nothing.data(), "x"));
  EXPECT_EQ(Message(), "hal_object_set_label: object is no object of the library");
  const Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(SetLabel(semaphore, "kept"));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_object_set_label(semaphore, {nullptr, 3}));
  EXPECT_EQ(LabelOf(semaphore), "kept");
  EXPECT_EQ(LabelOf(nullptr), "");
}

TEST_F(ObjectLabelTest, MessagesSayIt) {
  const ApiObjects o(device());
  ASSERT_OK(SetLabel(o.semaphore, "frame 7"));
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, o.semaphore.Wait(o.semaphore.Value() + 1, 0));
  EXPECT_THAT(Message(), HasSubstr("the semaphore 'frame 7' is at "));
  ASSERT_OK(SetLabel(o.buffer, "weights"));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, hal_buffer_unmap(o.buffer));
  EXPECT_THAT(Message(), HasSubstr("the buffer 'weights' is not mapped"));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, device().QueueFill(kNoWaits, kNoSignals, Ref(o.buffer, 4, 1024), uint32_t{0}));
  EXPECT_THAT(Message(), HasSubstr("target 'weights' is 1024 bytes at offset 4"));
  ASSERT_OK(SetLabel(o.executable, "attention"));
  const hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, hal_device_queue_dispatch(device(), hal::SubmitParams(kNoWaits, kNoSignals),
                                                                   o.executable, 1000, &params));
  EXPECT_THAT(Message(), HasSubstr("the executable 'attention' has"));
  ASSERT_OK(SetLabel(o.recording, "decode"));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, device().QueueExecute(kNoWaits, kNoSignals, o.recording));
  EXPECT_THAT(Message(), EndsWith("command_buffer 'decode' was not ended"));
  auto* const no_buffer = reinterpret_cast<hal_buffer_t*>(o.semaphore.get());
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_buffer_unmap(no_buffer));
  EXPECT_THAT(Message(), EndsWith("buffer is a semaphore 'frame 7'; expected a buffer"));
}

TEST_F(ObjectLabelTest, MessagesCutIt) {
  const Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(SetLabel(semaphore, std::string(500, 'x')));
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, semaphore.Wait(1, 0));
  EXPECT_THAT(Message(), HasSubstr("'" + std::string(61, 'x') + "\xE2\x80\xA6'"));
}

TEST_F(ObjectLabelTest, WhatWaitsForADestroyedSemaphoreHearsIt) {
  std::string heard;
  Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(SetLabel(semaphore, "given up"));
  ASSERT_OK(semaphore.Notify(1, [&](hal_status_t, const std::string& message) { heard = message; }));
  semaphore.reset();
  EXPECT_EQ(heard, "the semaphore 'given up' was destroyed before it reached the value");
}

TEST_F(ObjectLabelTest, ThreadsLabelObjectsAtTheSameTime) {
  OnThreads(4, [&](size_t thread) {
    const std::string label = "thread " + std::to_string(thread);
    for (int i = 0; i < 100; ++i) {
      const Semaphore semaphore = CreateSemaphore();
      ASSERT_OK(SetLabel(semaphore, label));
      ASSERT_EQ(LabelOf(semaphore), label);
    }
  });
}

class OperationLabelTest : public DeviceTest {
 protected:
  void Begin(hal_profiling_flags_t flags) {
    const hal_profiling_sink_t sink = recorder_.sink();
    ASSERT_OK(hal_device_profiling_begin(device(), flags, &sink));
    profiling_ = true;
  }
  void TearDown() override {
    if (profiling_) EXPECT_OK(hal_device_profiling_end(device()));
    DeviceTest::TearDown();
  }
  /// Submits a barrier and waits for it.
  void RunBarrier() const {
    const Semaphore done = CreateSemaphore();
    ASSERT_OK(Barrier(kNoWaits, {{done, 1}}));
    ASSERT_OK(done.Wait(1));
  }
  /// Runs commands that `record` records.
  void Execute(const std::function<void(const CommandBuffer&)>& record) const {
    const CommandBuffer commands = device().Record(record);
    const Semaphore done = CreateSemaphore();
    ASSERT_OK(device().QueueExecute(kNoWaits, {{done, 1}}, commands));
    ASSERT_OK(done.Wait(1));
  }

  Recorder recorder_;
  bool profiling_ = false;
};

TEST_F(OperationLabelTest, PopNeedsAPush) {
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, hal_pop_label());
  EXPECT_EQ(Message(), "hal_pop_label: this thread has no label");
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_push_label({nullptr, 3}));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, hal_pop_label()) << "nothing was pushed";
}

TEST_F(OperationLabelTest, LabelsNest) {
  Begin(HAL_PROFILING_QUEUE_OPERATIONS);
  {
    const Label step("step 3");
    {
      const Label nothing("");
      const Label layer("layer 7");
      RunBarrier();
    }
    RunBarrier();
  }
  RunBarrier();
  const std::vector<Record> records = recorder_.WaitFor(3);
  ASSERT_THAT(records, SizeIs(3));
  EXPECT_EQ(records[0].label, "step 3/layer 7");
  EXPECT_EQ(records[1].label, "step 3");
  EXPECT_EQ(records[2].label, "");
}

TEST_F(OperationLabelTest, DeepLabelsAreLeftOut) {
  Begin(HAL_PROFILING_QUEUE_OPERATIONS);
  const std::string half(HAL_LABEL_MAX_SIZE / 2, 'x');
  {
    const Label outer(half);
    const Label too_much(half);
    const Label last("end");
    RunBarrier();
  }
  const std::vector<Record> records = recorder_.WaitFor(1);
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_EQ(records[0].label, half + "/end");
}

TEST_F(OperationLabelTest, SubmissionTellsItsNumber) {
  Begin(HAL_PROFILING_QUEUE_OPERATIONS);
  std::vector<uint64_t> numbers;
  for (int i = 0; i < 5; ++i) {
    const Label label("numbered");
    RunBarrier();
    numbers.push_back(hal_last_operation());
  }
  RunBarrier();
  EXPECT_EQ(hal_last_operation(), numbers.back()) << "of the last one that had a label";
  const std::vector<Record> records = recorder_.WaitFor(6);
  ASSERT_THAT(records, SizeIs(6));
  for (size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(records[i].fields.operation, numbers[i]);
}

TEST_F(OperationLabelTest, NumbersNeedNoProfilingAndNoLabel) {
  const Label label("");
  RunBarrier();
  const uint64_t first = hal_last_operation();
  RunBarrier();
  EXPECT_GT(first, 0u);
  EXPECT_GT(hal_last_operation(), first);
}

TEST_F(OperationLabelTest, RefusedCallsHaveNoNumber) {
  const Label label("refused");
  RunBarrier();
  const uint64_t number = hal_last_operation();
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT,
                hal_device_queue_barrier(nullptr, hal::SubmitParams(kNoWaits.list(), kNoSignals.list())));
  EXPECT_EQ(hal_last_operation(), number);
}

TEST_F(OperationLabelTest, DeferredOperationKeepsItsLabel) {
  Begin(HAL_PROFILING_QUEUE_OPERATIONS);
  const Semaphore go = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  uint64_t number = 0;
  {
    std::string text = "deferred";
    const Label label(text);
    text = "REPLACED";
    ASSERT_OK(Barrier({{go, 1}}, {{done, 1}}));
    number = hal_last_operation();
  }
  ASSERT_OK(Barrier({{go, 1}}, {{done, 2}}));
  ASSERT_OK(go.Signal(1));
  ASSERT_OK(done.Wait(2));
  const std::vector<Record> records = recorder_.WaitFor(2);
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_EQ(records[0].label, "deferred");
  EXPECT_EQ(records[0].fields.operation, number);
  EXPECT_EQ(records[1].label, "");
}

TEST_F(OperationLabelTest, EachThreadHasItsOwn) {
  Begin(HAL_PROFILING_QUEUE_OPERATIONS);
  const Label label("of this thread");
  std::thread([this] {
    EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, hal_pop_label());
    EXPECT_EQ(hal_last_operation(), 0u);
    RunBarrier();
  }).join();
  RunBarrier();
  const std::vector<Record> records = recorder_.WaitFor(2);
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_EQ(records[0].label, "");
  EXPECT_EQ(records[1].label, "of this thread");
}

TEST_F(OperationLabelTest, DebugGroupsAreRecorded) {
  const Executable kernels = LoadKernels("basic");
  Begin(HAL_PROFILING_DISPATCHES | HAL_PROFILING_DEBUG_GROUPS);
  Execute([&](const CommandBuffer& c) {
    Check(c.BeginDebugGroup("outer"), "begin");  // command 0
    Check(c.BeginDebugGroup("empty"), "begin");  // command 1
    Check(c.EndDebugGroup(), "end");
    Check(c.Dispatch(kernels, "noop", Dispatch()), "dispatch");
    Check(c.Barrier(), "barrier");
    Check(c.BeginDebugGroup("inner"), "begin");  // command 5
    Check(c.Dispatch(kernels, "noop", Dispatch()), "dispatch");
    Check(c.EndDebugGroup(), "end");
    Check(c.EndDebugGroup(), "end");
    Check(c.Barrier(), "barrier");
    Check(c.Dispatch(kernels, "noop", Dispatch()), "dispatch");
  });
  std::vector<Record> groups;
  std::vector<Record> dispatches;
  for (const Record& record : recorder_.WaitFor(5)) {
    (record.fields.kind == HAL_PROFILING_RECORD_KIND_DISPATCH ? dispatches : groups).push_back(record);
  }
  ASSERT_THAT(dispatches, SizeIs(3));
  ASSERT_THAT(groups, SizeIs(2));
  for (const Record& group : groups) EXPECT_EQ(group.fields.kind, HAL_PROFILING_RECORD_KIND_DEBUG_GROUP);
  EXPECT_EQ(groups[0].name, "outer");
  EXPECT_EQ(groups[0].fields.command, 0u);
  EXPECT_EQ(groups[0].fields.depth, 0u);
  EXPECT_EQ(groups[0].fields.start_time, std::min(dispatches[0].fields.start_time, dispatches[1].fields.start_time));
  EXPECT_EQ(groups[0].fields.end_time, std::max(dispatches[0].fields.end_time, dispatches[1].fields.end_time));
  EXPECT_EQ(groups[1].name, "inner");
  EXPECT_EQ(groups[1].fields.command, 5u);
  EXPECT_EQ(groups[1].fields.depth, 1u);
  EXPECT_EQ(groups[1].fields.start_time, dispatches[1].fields.start_time);
  EXPECT_EQ(groups[1].fields.end_time, dispatches[1].fields.end_time);
}

TEST_F(OperationLabelTest, GroupsAloneAreRecordedAlone) {
  const Executable kernels = LoadKernels("basic");
  Begin(HAL_PROFILING_DEBUG_GROUPS);
  for (int i = 0; i < 2; ++i) {
    Execute([&](const CommandBuffer& c) {
      Check(c.BeginDebugGroup("group " + std::to_string(i)), "begin");
      Check(c.Dispatch(kernels, "noop", Dispatch()), "dispatch");
      Check(c.EndDebugGroup(), "end");
    });
  }
  const std::vector<Record> records = recorder_.WaitFor(2);
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_EQ(records[0].name, "group 0");
  EXPECT_EQ(records[1].name, "group 1");
}

/// Every kind of operation, with a label.
class LabelledOperationTest : public DeviceTestWith<OperationKind> {};

TEST_P(LabelledOperationTest, IsRecordedWithLabelAndNumber) {
  const Operation operation = GetParam().make(device());
  Recorder recorder;
  const hal_profiling_sink_t sink = recorder.sink();
  ASSERT_OK(hal_device_profiling_begin(device(), HAL_PROFILING_QUEUE_OPERATIONS, &sink));
  const Semaphore done = CreateSemaphore();
  const Points signals{{done, 1}};
  hal_status_t status = HAL_STATUS_OK;
  uint64_t number = 0;
  {
    const Label label("labelled");
    status = operation.submit(HAL_QUEUE_ANY, kNoWaits, signals);
    number = hal_last_operation();
  }
  EXPECT_OK(status);
  if (status == HAL_STATUS_OK) {
    EXPECT_OK(done.Wait(1));
    const std::vector<Record> records = recorder.WaitFor(1);
    EXPECT_THAT(records, SizeIs(1));
    for (const Record& record : records) {
      EXPECT_EQ(record.label, "labelled");
      EXPECT_EQ(record.fields.operation, number);
    }
  }
  EXPECT_OK(hal_device_profiling_end(device()));
}
INSTANTIATE_TEST_SUITE_P(Kind, LabelledOperationTest, testing::ValuesIn(OperationKinds()), ByName);

}  // namespace
}  // namespace halyard::cts
