// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Profiling sessions: what a sink receives, and when. The trace writer is in trace_writer_test.cpp.
#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/devices/recorder.h"
#include "cts/queue_operations.h"

namespace halyard::cts {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

uint64_t Now() {
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

class ProfilingTest : public DeviceTest {
 protected:
  /// Begins a profiling session into `recorder_`; it ends with the test at the latest.
  void Begin(hal_profiling_flags_t flags) {
    const hal_profiling_sink_t sink = recorder_.sink();
    ASSERT_OK(hal_device_profiling_begin(device(), flags, &sink));
    profiling_ = true;
  }
  void End() {
    profiling_ = false;
    ASSERT_OK(hal_device_profiling_end(device()));
  }
  void TearDown() override {
    if (profiling_) End();
    DeviceTest::TearDown();
  }
  /// Runs a barrier from submission to completion.
  void RunBarrier() const {
    const Semaphore done = CreateSemaphore();
    ASSERT_OK(Barrier(kNoWaits, {{done, 1}}));
    ASSERT_OK(done.Wait(1));
  }

  Recorder recorder_;
  bool profiling_ = false;
};

TEST_F(ProfilingTest, EmptySession) {
  Begin(HAL_PROFILING_QUEUE_OPERATIONS | HAL_PROFILING_DISPATCHES);
  End();
  EXPECT_THAT(recorder_.records(), IsEmpty());
}

TEST_F(ProfilingTest, OneSessionAtATime) {
  Begin(HAL_PROFILING_QUEUE_OPERATIONS);
  Recorder other;
  const hal_profiling_sink_t sink = other.sink();
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION,
                hal_device_profiling_begin(device(), HAL_PROFILING_QUEUE_OPERATIONS, &sink));
  RunBarrier();
  EXPECT_THAT(recorder_.WaitFor(1), SizeIs(1));
  EXPECT_THAT(other.records(), IsEmpty());
}

TEST_F(ProfilingTest, EndNeedsABeginning) {
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, hal_device_profiling_end(device()));
  Begin(HAL_PROFILING_QUEUE_OPERATIONS);
  End();
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, hal_device_profiling_end(device()));
}

TEST_F(ProfilingTest, SessionsFollowEachOther) {
  for (size_t i = 1; i <= 10; ++i) {
    Begin(HAL_PROFILING_QUEUE_OPERATIONS);
    RunBarrier();
    EXPECT_THAT(recorder_.WaitFor(i), SizeIs(i));
    End();
  }
}

TEST_F(ProfilingTest, SinkIsQuietAfterTheEnd) {
  Begin(HAL_PROFILING_QUEUE_OPERATIONS);
  RunBarrier();
  recorder_.WaitFor(1);
  End();
  for (int i = 0; i < 10; ++i) RunBarrier();
  EXPECT_THAT(recorder_.records(), SizeIs(1));
}

TEST_F(ProfilingTest, SinkStructIsCopied) {
  hal_profiling_sink_t sink = recorder_.sink();
  ASSERT_OK(hal_device_profiling_begin(device(), HAL_PROFILING_QUEUE_OPERATIONS, &sink));
  profiling_ = true;
  sink = HAL_INIT(hal_profiling_sink_t);
  RunBarrier();
  EXPECT_THAT(recorder_.WaitFor(1), SizeIs(1));
}

TEST_F(ProfilingTest, TimesAreOrderedAndOnTheMonotonicClock) {
  Begin(HAL_PROFILING_QUEUE_OPERATIONS);
  const uint64_t before = Now();
  RunBarrier();
  const std::vector<Record> records = recorder_.WaitFor(1);
  const uint64_t after = Now();
  ASSERT_THAT(records, SizeIs(1));
  const hal_profiling_record_t& record = records[0].fields;
  EXPECT_LE(before, record.submit_time);
  EXPECT_LE(record.submit_time, record.start_time);
  EXPECT_LE(record.start_time, record.end_time);
  EXPECT_LE(record.end_time, after);
}

TEST_F(ProfilingTest, DeferredOperationStartsAfterItsWait) {
  Begin(HAL_PROFILING_QUEUE_OPERATIONS);
  const Semaphore go = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Barrier({{go, 1}}, {{done, 1}}));
  const uint64_t submitted = Now();
  ASSERT_OK(go.Signal(1));
  ASSERT_OK(done.Wait(1));
  const std::vector<Record> records = recorder_.WaitFor(1);
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_LE(records[0].fields.submit_time, submitted);
  EXPECT_GE(records[0].fields.start_time, submitted);
}

TEST_F(ProfilingTest, DependentStartsAfterItsPredecessorEnds) {
  Begin(HAL_PROFILING_QUEUE_OPERATIONS);
  const Buffer buffer = CreateBuffer(4096);
  const Semaphore timeline = CreateSemaphore();
  for (uint64_t i = 0; i < 10; ++i) {
    ASSERT_OK(device().QueueFill({{timeline, i}}, {{timeline, i + 1}}, buffer, uint32_t{1}, device().Queue(i)));
  }
  ASSERT_OK(timeline.Wait(10));
  const std::vector<Record> records = recorder_.WaitFor(10);
  ASSERT_THAT(records, SizeIs(10));
  for (size_t i = 1; i < records.size(); ++i) {
    EXPECT_GE(records[i].fields.start_time, records[i - 1].fields.end_time) << i;
  }
}

TEST_F(ProfilingTest, OperationsAreNumbered) {
  Begin(HAL_PROFILING_QUEUE_OPERATIONS);
  for (int i = 0; i < 20; ++i) RunBarrier();
  std::set<uint64_t> numbers;
  for (const Record& record : recorder_.WaitFor(20)) {
    EXPECT_GE(record.fields.operation, 1u);
    EXPECT_TRUE(numbers.insert(record.fields.operation).second) << record.fields.operation << " twice";
    EXPECT_EQ(record.fields.device, device().get());
    EXPECT_LT(record.fields.queue, device().info().queue_count);
  }
}

TEST_F(ProfilingTest, QueueIsTheOneAskedFor) {
  Begin(HAL_PROFILING_QUEUE_OPERATIONS);
  for (uint32_t queue = 0; queue < device().info().queue_count; ++queue) {
    const Semaphore done = CreateSemaphore();
    ASSERT_OK(device().QueueBarrier(kNoWaits, {{done, 1}}, device().Queue(queue)));
    ASSERT_OK(done.Wait(1));
    EXPECT_EQ(recorder_.WaitFor(queue + 1).back().fields.queue, queue);
  }
}

TEST_F(ProfilingTest, FailedOperationIsReportedWithItsStatus) {
  Begin(HAL_PROFILING_QUEUE_OPERATIONS);
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueHostCall(kNoWaits, {{done, 1}}, [](hal_status_t) { return HAL_STATUS_DATA_LOSS; }));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, done.Wait(1));
  const std::vector<Record> records = recorder_.WaitFor(1);
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, records[0].fields.status);
}

TEST_F(ProfilingTest, DispatchIsReportedByNameAndSize) {
  Begin(HAL_PROFILING_DISPATCHES);
  const Executable kernels = LoadKernels("basic");
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueDispatch(kNoWaits, {{done, 1}}, kernels, "noop", Dispatch().Workgroups(2, 3, 4)));
  ASSERT_OK(done.Wait(1));
  const std::vector<Record> records = recorder_.WaitFor(1);
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_EQ(records[0].fields.kind, HAL_PROFILING_RECORD_KIND_DISPATCH);
  EXPECT_EQ(records[0].name, "noop");
  EXPECT_EQ(records[0].fields.workgroup_count.x, 2u);
  EXPECT_EQ(records[0].fields.workgroup_count.y, 3u);
  EXPECT_EQ(records[0].fields.workgroup_count.z, 4u);
  EXPECT_LE(records[0].fields.start_time, records[0].fields.end_time);
}

TEST_F(ProfilingTest, DispatchesOfARecordingAreReportedByCommand) {
  Begin(HAL_PROFILING_DISPATCHES);
  const Executable kernels = LoadKernels("basic");
  const Buffer data = CreateBuffer(256);
  const CommandBuffer commands = device().Record([&](const CommandBuffer& c) {
    ASSERT_OK(c.Fill(data, uint32_t{0}));                                            // command 0
    ASSERT_OK(c.Barrier());                                                          // command 1
    ASSERT_OK(c.Dispatch(kernels, "add_one", Dispatch().Workgroups(1).Bind(data)));  // command 2
    ASSERT_OK(c.Barrier());                                                          // command 3
    ASSERT_OK(c.Dispatch(kernels, "noop", Dispatch().Workgroups(5)));                // command 4
  });
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueExecute(kNoWaits, {{done, 1}}, commands));
  ASSERT_OK(done.Wait(1));
  const std::vector<Record> records = recorder_.WaitFor(2);
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_EQ(records[0].name, "add_one");
  EXPECT_EQ(records[0].fields.command, 2u);
  EXPECT_EQ(records[1].name, "noop");
  EXPECT_EQ(records[1].fields.command, 4u);
  EXPECT_EQ(records[1].fields.workgroup_count.x, 5u);
  EXPECT_EQ(records[0].fields.operation, records[1].fields.operation);
  EXPECT_GE(records[1].fields.start_time, records[0].fields.end_time) << "a barrier stands between them";
}

TEST_F(ProfilingTest, DispatchLiesWithinItsOperation) {
  Begin(HAL_PROFILING_QUEUE_OPERATIONS | HAL_PROFILING_DISPATCHES);
  const Executable kernels = LoadKernels("basic");
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueDispatch(kNoWaits, {{done, 1}}, kernels, "noop", Dispatch().Workgroups(100)));
  ASSERT_OK(done.Wait(1));
  const std::vector<Record> records = recorder_.WaitFor(2);
  ASSERT_THAT(records, SizeIs(2));
  const bool operation_first = records[0].fields.kind == HAL_PROFILING_RECORD_KIND_QUEUE_OPERATION;
  const Record& operation = records[operation_first ? 0 : 1];
  const Record& dispatch = records[operation_first ? 1 : 0];
  EXPECT_EQ(operation.name, "dispatch");
  EXPECT_EQ(dispatch.fields.kind, HAL_PROFILING_RECORD_KIND_DISPATCH);
  EXPECT_EQ(dispatch.fields.operation, operation.fields.operation);
  EXPECT_LE(operation.fields.start_time, dispatch.fields.start_time);
  EXPECT_LE(dispatch.fields.end_time, operation.fields.end_time);
}

TEST_F(ProfilingTest, TwoDevicesHaveSeparateSessions) {
  const Device other = OpenSecondDevice();
  Recorder others;
  const hal_profiling_sink_t sink = others.sink();
  ASSERT_OK(hal_device_profiling_begin(other, HAL_PROFILING_QUEUE_OPERATIONS, &sink));
  Begin(HAL_PROFILING_QUEUE_OPERATIONS);
  RunBarrier();
  const Semaphore done = other.CreateSemaphore();
  ASSERT_OK(other.QueueBarrier(kNoWaits, {{done, 1}}));
  ASSERT_OK(done.Wait(1));
  const std::vector<Record> here = recorder_.WaitFor(1);
  const std::vector<Record> there = others.WaitFor(1);
  ASSERT_OK(hal_device_profiling_end(other));
  ASSERT_THAT(here, SizeIs(1));
  ASSERT_THAT(there, SizeIs(1));
  EXPECT_EQ(here[0].fields.device, device().get());
  EXPECT_EQ(there[0].fields.device, other.get());
}

TEST_F(ProfilingTest, SinkMayCallTheLibrary) {
  struct Caller {
    Semaphore semaphore;
    static void Record(void* user_data, const hal_profiling_record_t* record) {
      const auto* self = static_cast<const Caller*>(user_data);
      EXPECT_OK(hal_device_query_health(record->device));
      EXPECT_OK(self->semaphore.Signal(self->semaphore.Value() + 1));
    }
  };
  Caller caller{CreateSemaphore()};
  hal_profiling_sink_t sink = HAL_INIT(hal_profiling_sink_t);
  sink.user_data = &caller;
  sink.record = Caller::Record;
  ASSERT_OK(hal_device_profiling_begin(device(), HAL_PROFILING_QUEUE_OPERATIONS, &sink));
  RunBarrier();
  EXPECT_OK(caller.semaphore.Wait(1));
  EXPECT_OK(hal_device_profiling_end(device()));
}

// Sessions begin and end while other threads submit: nothing is lost, and the sink is never called late.
// Nothing of it passes a driver, and the work is done.
TEST_F(ProfilingTest, SinkMayThrow) {
  hal_profiling_sink_t sink = HAL_INIT(hal_profiling_sink_t);
  sink.record = [](void*, const hal_profiling_record_t*) { throw std::runtime_error("no paper left"); };
  ASSERT_OK(hal_device_profiling_begin(device(), HAL_PROFILING_QUEUE_OPERATIONS, &sink));
  const Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(device().QueueBarrier(kNoWaits, {{semaphore, 1}}));
  EXPECT_OK(semaphore.Wait(1));
  ASSERT_OK(hal_device_profiling_end(device()));
}

TEST_F(ProfilingTest, SessionsRaceWithSubmissions) {
  OnThreads(3, [&](size_t thread) {
    for (int i = 0; i < 50; ++i) {
      if (thread > 0) {
        RunBarrier();
        continue;
      }
      auto recorder = std::make_unique<Recorder>();
      const hal_profiling_sink_t sink = recorder->sink();
      EXPECT_OK(hal_device_profiling_begin(device(), HAL_PROFILING_QUEUE_OPERATIONS, &sink));
      RunBarrier();
      recorder->WaitFor(1);
      EXPECT_OK(hal_device_profiling_end(device()));
    }
  });
}

/// One record for each kind of operation, by its name.
class ProfilingOperationTest : public ProfilingTest, public testing::WithParamInterface<OperationKind> {};

TEST_P(ProfilingOperationTest, IsReportedOnce) {
  const Operation operation = GetParam().make(device());
  const Semaphore done = CreateSemaphore();
  Begin(HAL_PROFILING_QUEUE_OPERATIONS);
  ASSERT_OK(operation.submit(HAL_QUEUE_ANY, kNoWaits, Points({{done, 1}})));
  ASSERT_OK(done.Wait(1));
  recorder_.WaitFor(1);
  RunBarrier();  // whatever else the operation reports would have come by now
  const std::vector<Record> records = recorder_.WaitFor(2);
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_EQ(records[0].name, GetParam().name);
  EXPECT_EQ(records[0].fields.kind, HAL_PROFILING_RECORD_KIND_QUEUE_OPERATION);
  EXPECT_STATUS(HAL_STATUS_OK, records[0].fields.status);
  EXPECT_EQ(records[0].fields.command, 0u);
  EXPECT_EQ(records[1].fields.operation, records[0].fields.operation + 1) << "operations are counted one by one";
}

TEST_P(ProfilingOperationTest, IsReportedWithTheFailureOfItsWait) {
  const Operation operation = GetParam().make(device());
  const Semaphore bad = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  Begin(HAL_PROFILING_QUEUE_OPERATIONS);
  ASSERT_OK(operation.submit(HAL_QUEUE_ANY, Points({{bad, 1}}), Points({{done, 1}})));
  ASSERT_OK(bad.Fail(HAL_STATUS_DATA_LOSS));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, done.Wait(1));
  const std::vector<Record> records = recorder_.WaitFor(1);
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_EQ(records[0].name, GetParam().name);
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, records[0].fields.status);
}

INSTANTIATE_TEST_SUITE_P(Operations, ProfilingOperationTest, testing::ValuesIn(OperationKinds()), ByName);

}  // namespace
}  // namespace halyard::cts
