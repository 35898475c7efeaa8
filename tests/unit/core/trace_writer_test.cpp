// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "fake_driver.h"
#include "halyard/profiling.h"
#include "support/temporary_files.h"

namespace halyard {
namespace {

using ::testing::HasSubstr;
using testing::MessageHas;

/// How an event of a trace begins.
constexpr const char* kEvent = R"("ph":"X")";

/// Reads a trace as a viewer would: it is JSON, and the events of a thread nest. Exits with the number of events.
constexpr const char* kCheckTrace = R"py(
import json, sys
trace = json.load(open(sys.argv[1], encoding="utf-8"))
stacks = {}
events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
for e in events:
    start, end = round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000)
    stack = stacks.setdefault((e["pid"], e["tid"]), [])
    while stack and stack[-1] <= start: stack.pop()
    assert not stack or end <= stack[-1], e
    stack.append(end)
named = {(e["pid"], e["tid"]) for e in trace["traceEvents"] if e["name"] == "thread_name"}
assert set(stacks) <= named
sys.exit(len(events))
)py";

class TraceWriterTest : public ::testing::Test {
 protected:
  TraceWriterTest() {
    EXPECT_EQ(hal_trace_writer_create(&writer_), HAL_STATUS_OK);
    sink_ = hal_trace_writer_sink(writer_);
    info_.driver = hal_string_view("local");
    info_.id = hal_string_view("task");
    info_.name = hal_string_view("a \"quoted\" device");
    device_.object.kind = HAL_OBJECT_KIND_DEVICE;
    device_.info = &info_;
  }
  ~TraceWriterTest() override { hal_trace_writer_destroy(writer_); }

  hal_profiling_record_t Operation(const char* name, uint64_t number, uint64_t start, uint64_t end) {
    hal_profiling_record_t record = {};
    record.struct_size = sizeof(record);
    record.kind = HAL_PROFILING_RECORD_KIND_QUEUE_OPERATION;
    record.device = &device_;
    record.name = hal_string_view(name);
    record.operation = number;
    record.submit_time = start - 500;
    record.start_time = start;
    record.end_time = end;
    return record;
  }
  hal_profiling_record_t Dispatch(const char* name, uint64_t number, uint64_t start, uint64_t end) {
    hal_profiling_record_t record = Operation(name, number, start, end);
    record.kind = HAL_PROFILING_RECORD_KIND_DISPATCH;
    record.workgroup_count = {4, 2, 1};
    return record;
  }
  hal_profiling_record_t Group(const char* label, uint64_t number, uint32_t depth, uint64_t start, uint64_t end) {
    hal_profiling_record_t record = Operation(label, number, start, end);
    record.kind = HAL_PROFILING_RECORD_KIND_DEBUG_GROUP;
    record.depth = depth;
    return record;
  }
  void Add(const hal_profiling_record_t& record) { sink_.record(sink_.user_data, &record); }
  hal_status_t Write(const std::string& path) { return hal_trace_writer_write(writer_, {path.data(), path.size()}); }
  std::string WriteAndRead() {
    EXPECT_EQ(Write(folder_ / "trace.json"), HAL_STATUS_OK) << hal_last_error_message();
    return ReadText(folder_ / "trace.json");
  }

  TemporaryFolder folder_;
  hal_device_info_t info_ = {};
  hal_device_t device_ = {};
  hal_trace_writer_t* writer_ = nullptr;
  hal_profiling_sink_t sink_ = {};
};

TEST_F(TraceWriterTest, WritesOperations) {
  hal_profiling_record_t failed = Operation("copy", 1, 2000, 3500);
  failed.status = HAL_STATUS_ABORTED;
  Add(failed);
  const std::string trace = WriteAndRead();
  EXPECT_THAT(trace,
              HasSubstr(R"json("name":"process_name","args":{"name":"local://task (a \"quoted\" device)"})json"));
  EXPECT_THAT(trace, HasSubstr(R"json("name":"thread_name","args":{"name":"queue 0"})json"));
  EXPECT_THAT(trace, HasSubstr(R"json("name":"copy","cat":"queue","ts":0.000,"dur":1.500)json"));
  EXPECT_THAT(trace, HasSubstr(R"json("operation":1,"status":"ABORTED","queued_us":0.500)json"));
  EXPECT_THAT(trace, HasSubstr(R"json("origin_ns":2000)json"));
  EXPECT_EQ(folder_.Names().size(), 1u);
}

TEST_F(TraceWriterTest, WritesDispatches) {
  Add(Operation("execute", 1, 1000, 9000));
  Add(Dispatch("scale", 1, 2000, 3000));
  const std::string trace = WriteAndRead();
  EXPECT_THAT(trace, HasSubstr(R"json("name":"scale","cat":"dispatch","ts":1.000,"dur":1.000)json"));
  EXPECT_THAT(trace, HasSubstr(R"json("workgroups":"4x2x1","command":0)json"));
}

TEST_F(TraceWriterTest, WritesLabels) {
  hal_profiling_record_t operation = Operation("copy", 1, 1000, 2000);
  operation.label = hal_string_view("decode/layer \"7\"");
  Add(operation);
  const std::string trace = WriteAndRead();
  EXPECT_THAT(trace, HasSubstr(R"json("name":"decode/layer \"7\" (copy)","cat":"queue")json"));
  EXPECT_THAT(trace, HasSubstr(R"json("label":"decode/layer \"7\"")json"));
}

TEST_F(TraceWriterTest, WritesDebugGroupsInRowsOfTheirOwn) {
  Add(Operation("execute", 1, 1000, 9000));
  Add(Group("outer", 1, 0, 2000, 8000));
  Add(Group("inner", 1, 1, 2000, 3000));
  Add(Dispatch("scale", 1, 2000, 3000));
  const std::string trace = WriteAndRead();
  EXPECT_THAT(trace, HasSubstr(R"json("tid":2,"name":"thread_name","args":{"name":"queue 0 groups"})json"));
  EXPECT_THAT(trace, HasSubstr(R"json("tid":2,"name":"outer","cat":"group","ts":1.000,"dur":6.000)json"));
  EXPECT_THAT(trace, HasSubstr(R"json("tid":2,"name":"inner","cat":"group","ts":1.000,"dur":1.000)json"));
  EXPECT_THAT(trace, HasSubstr(R"json("tid":1,"name":"scale","cat":"dispatch")json"));
}

// As a driver that was built before records had labels.
TEST_F(TraceWriterTest, ReadsNoFurtherThanARecordGoes) {
  hal_profiling_record_t operation = Operation("copy", 1, 1000, 2000);
  operation.struct_size = offsetof(hal_profiling_record_t, label);
  operation.label = {nullptr, 77};
  operation.depth = 5;
  Add(operation);
  EXPECT_THAT(WriteAndRead(), HasSubstr(R"json("name":"copy","cat":"queue")json"));
}

TEST_F(TraceWriterTest, SurvivesClocksThatRunBackwards) {
  hal_profiling_record_t record = Operation("copy", 1, 5000, 4000);
  record.submit_time = 6000;
  Add(record);
  EXPECT_THAT(WriteAndRead(),
              HasSubstr(R"json("dur":0.000,"args":{"operation":1,"status":"OK","queued_us":0.000)json"));
}

TEST_F(TraceWriterTest, AnEmptyTraceIsATrace) { EXPECT_THAT(WriteAndRead(), HasSubstr(R"json("traceEvents":[)json")); }

TEST_F(TraceWriterTest, IsValidJsonWhoseEventsNest) {
  if (std::system("python3 -c 'import json'") != 0) GTEST_SKIP() << "needs python3";
  hal_device_t other = device_;
  uint64_t seed = 7;
  const auto random = [&](uint64_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
  };
  for (uint64_t i = 1; i <= 60; ++i) {
    const uint64_t start = 1000000 + random(10000);
    const uint64_t length = random(2000);
    hal_profiling_record_t operation = Operation(i % 2 ? "fill\n\xFF" : "d\xC3\xA9placer", i, start, start + length);
    operation.queue = static_cast<uint32_t>(random(3));
    operation.device = i % 5 ? &device_ : &other;
    const char label[] = {static_cast<char>(random(256)), static_cast<char>(random(256)), '"', '\\', '\0'};
    operation.label = {label, 1 + random(5)};
    Add(operation);
    hal_profiling_record_t group = Group("", i, static_cast<uint32_t>(random(3)), start + random(300), start + 1500);
    group.name = operation.label;
    group.queue = operation.queue;
    group.device = operation.device;
    Add(group);
    hal_profiling_record_t dispatch = Dispatch("kernel", i, start + random(300), start + random(2500));
    dispatch.queue = operation.queue;
    dispatch.device = operation.device;
    Add(dispatch);
  }
  WriteAndRead();
  const std::string script = folder_.Write("check.py", kCheckTrace);
  const std::string command = "python3 " + script + " " + (folder_ / "trace.json");
  const int result = std::system(command.c_str());
  EXPECT_TRUE(WIFEXITED(result));
  EXPECT_EQ(WEXITSTATUS(result), 180);
}

TEST_F(TraceWriterTest, CollectsFromSeveralThreads) {
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      for (uint64_t i = 0; i < 100; ++i) Add(Operation("copy", t * 100 + i, i * 10, i * 10 + 5));
    });
  }
  WriteAndRead();
  for (std::thread& thread : threads) thread.join();
  const std::string trace = WriteAndRead();
  size_t count = 0;
  for (size_t at = trace.find(kEvent); at != std::string::npos; at = trace.find(kEvent, at + 1)) ++count;
  EXPECT_EQ(count, 400u);
}

TEST_F(TraceWriterTest, ReplacesAFileButNothingElse) {
  const std::string path = folder_.Write("trace.json", "old");
  EXPECT_EQ(Write(path), HAL_STATUS_OK);
  EXPECT_NE(ReadText(folder_ / "trace.json"), "old");
  EXPECT_EQ(Write(folder_ / ""), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Write("/dev/null"), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Write(folder_ / "no/such/folder.json"), HAL_STATUS_NOT_FOUND);
  EXPECT_TRUE(MessageHas("hal_trace_writer_write"));
  EXPECT_EQ(folder_.Names().size(), 1u);
}

TEST_F(TraceWriterTest, ChecksItsArguments) {
  EXPECT_EQ(hal_trace_writer_create(nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_trace_writer_write(nullptr, hal_string_view("x")), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_trace_writer_write(writer_, hal_string_view("")), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_trace_writer_sink(nullptr).record, nullptr);
  hal_trace_writer_destroy(nullptr);
}

}  // namespace
}  // namespace halyard
