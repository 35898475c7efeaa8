// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/trace/profiling_session.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/host_event.h"

namespace halyard {
namespace {

constexpr hal_profiling_flags_t kAll = HAL_PROFILING_QUEUE_OPERATIONS | HAL_PROFILING_DISPATCHES;

hal_profiling_record_t RecordOf(hal_profiling_record_kind_t kind) {
  hal_profiling_record_t record{};
  record.struct_size = sizeof(record);
  record.kind = kind;
  return record;
}

const hal_profiling_record_t kOperation = RecordOf(HAL_PROFILING_RECORD_KIND_QUEUE_OPERATION);
const hal_profiling_record_t kDispatchRecord = RecordOf(HAL_PROFILING_RECORD_KIND_DISPATCH);

/// Counts what it gets by kind.
struct Counter {
  std::atomic<int> operations{0};
  std::atomic<int> dispatches{0};

  hal_profiling_sink_t sink() { return {sizeof(hal_profiling_sink_t), this, Record}; }
  static void Record(void* user_data, const hal_profiling_record_t* record) {
    auto* const counter = static_cast<Counter*>(user_data);
    ++(record->kind == HAL_PROFILING_RECORD_KIND_DISPATCH ? counter->dispatches : counter->operations);
  }
};

TEST(ProfilingSession, IsIdleAtFirst) {
  ProfilingSession session;
  EXPECT_FALSE(session.Wants(kAll));
  session.Record(kOperation);  // dropped
  EXPECT_EQ(Publish(session.End()), HAL_STATUS_FAILED_PRECONDITION);
}

TEST(ProfilingSession, HandsOverTheKindsThatAreWanted) {
  ProfilingSession session;
  Counter counter;
  const hal_profiling_sink_t sink = counter.sink();
  ASSERT_EQ(session.Begin(HAL_PROFILING_DISPATCHES, &sink), kOk);
  EXPECT_TRUE(session.Wants(HAL_PROFILING_DISPATCHES));
  EXPECT_FALSE(session.Wants(HAL_PROFILING_QUEUE_OPERATIONS));
  session.Record(kOperation);
  session.Record(kDispatchRecord);
  EXPECT_EQ(counter.operations, 0);
  EXPECT_EQ(counter.dispatches, 1);
  EXPECT_EQ(session.End(), kOk);
  session.Record(kDispatchRecord);
  EXPECT_EQ(counter.dispatches, 1);
}

TEST(ProfilingSession, HasOneSessionAtATime) {
  ProfilingSession session;
  Counter first;
  Counter second;
  const hal_profiling_sink_t sink = first.sink();
  const hal_profiling_sink_t other = second.sink();
  ASSERT_EQ(session.Begin(kAll, &sink), kOk);
  EXPECT_EQ(Publish(session.Begin(kAll, &other)), HAL_STATUS_FAILED_PRECONDITION);
  session.Record(kOperation);
  EXPECT_EQ(first.operations, 1);
  EXPECT_EQ(session.End(), kOk);
  EXPECT_EQ(Publish(session.End()), HAL_STATUS_FAILED_PRECONDITION);
  ASSERT_EQ(session.Begin(kAll, &other), kOk);
  session.Record(kOperation);
  EXPECT_EQ(first.operations, 1);
  EXPECT_EQ(second.operations, 1);
  EXPECT_EQ(session.End(), kOk);
}

TEST(ProfilingSession, TheSinkMayHandOverRecordsItself) {
  struct Nested {
    ProfilingSession session;
    int calls = 0;
    static void Record(void* user_data, const hal_profiling_record_t*) {
      auto* const nested = static_cast<Nested*>(user_data);
      if (++nested->calls < 3) nested->session.Record(kOperation);
    }
  } nested;
  const hal_profiling_sink_t sink = {sizeof(sink), &nested, Nested::Record};
  ASSERT_EQ(nested.session.Begin(kAll, &sink), kOk);
  nested.session.Record(kOperation);
  EXPECT_EQ(nested.calls, 3);
  EXPECT_EQ(nested.session.End(), kOk);
}

TEST(ProfilingSession, EndWaitsForCallsThatAreUnderWay) {
  struct Slow {
    HostEvent entered;
    HostEvent leave;
    std::atomic<bool> left{false};
    static void Record(void* user_data, const hal_profiling_record_t*) {
      auto* const slow = static_cast<Slow*>(user_data);
      slow->entered.Set();
      slow->leave.Wait({});
      slow->left = true;
    }
  } slow;
  ProfilingSession session;
  const hal_profiling_sink_t sink = {sizeof(sink), &slow, Slow::Record};
  ASSERT_EQ(session.Begin(kAll, &sink), kOk);
  std::thread recording([&] { session.Record(kOperation); });
  slow.entered.Wait({});
  std::thread ending([&] {
    EXPECT_EQ(session.End(), kOk);
    EXPECT_TRUE(slow.left) << "the sink may be destroyed now";
  });
  while (session.Wants(kAll)) std::this_thread::yield();
  slow.leave.Set();
  recording.join();
  ending.join();
}

TEST(ProfilingSession, TheSinkMayBeginASessionWhileItsOwnIsEnding) {
  struct Asking {
    ProfilingSession session;
    HostEvent entered;
    Status answer = kOk;
    static void Record(void* user_data, const hal_profiling_record_t*) {
      auto* const asking = static_cast<Asking*>(user_data);
      asking->entered.Set();
      while (asking->session.Wants(kAll)) std::this_thread::yield();
      const hal_profiling_sink_t sink = {sizeof(sink), asking, Record};
      asking->answer = asking->session.Begin(kAll, &sink);
    }
  } asking;
  const hal_profiling_sink_t sink = {sizeof(sink), &asking, Asking::Record};
  ASSERT_EQ(asking.session.Begin(kAll, &sink), kOk);
  std::thread recording([&] { asking.session.Record(kOperation); });
  asking.entered.Wait({});
  EXPECT_EQ(asking.session.End(), kOk);
  recording.join();
  EXPECT_EQ(Publish(asking.answer), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_EQ(asking.session.Begin(kAll, &sink), kOk) << "the next session may begin";
}

TEST(ProfilingSession, SessionsBeginAndEndWhileThreadsRecord) {
  ProfilingSession session;
  std::atomic<bool> stop{false};
  std::vector<std::thread> recorders;
  for (int i = 0; i < 3; ++i) {
    recorders.emplace_back([&] {
      while (!stop) {
        session.Record(kOperation);
        session.Record(kDispatchRecord);
      }
    });
  }
  for (int round = 0; round < 500; ++round) {
    auto counter = std::make_unique<Counter>();
    const hal_profiling_sink_t sink = counter->sink();
    ASSERT_EQ(session.Begin(kAll, &sink), kOk);
    while (round % 50 == 0 && counter->dispatches == 0) std::this_thread::yield();
    ASSERT_EQ(session.End(), kOk);
    counter.reset();  // a call after this would touch freed memory
  }
  stop = true;
  for (std::thread& recorder : recorders) recorder.join();
}

}  // namespace
}  // namespace halyard
