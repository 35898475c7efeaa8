// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The trace writer: what it writes is valid JSON in the shape of a Chrome trace.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/devices/json.h"
#include "support/temporary_files.h"

namespace halyard::cts {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::SizeIs;

/// A trace writer that is destroyed with its scope.
class TraceWriter {
 public:
  TraceWriter() { Check(hal_trace_writer_create(&writer_), "hal_trace_writer_create"); }
  ~TraceWriter() { hal_trace_writer_destroy(writer_); }
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;
  hal_trace_writer_t* get() const { return writer_; }

  void Begin(const Device& device) const {
    const hal_profiling_sink_t sink = hal_trace_writer_sink(writer_);
    constexpr hal_profiling_flags_t kAll =
        HAL_PROFILING_QUEUE_OPERATIONS | HAL_PROFILING_DISPATCHES | HAL_PROFILING_DEBUG_GROUPS;
    Check(hal_device_profiling_begin(device, kAll, &sink), "hal_device_profiling_begin");
  }
  /// Writes the file and reads it back.
  JsonValue Write() const {
    const TemporaryFile file;
    Check(hal_trace_writer_write(writer_, View(file.path())), "hal_trace_writer_write");
    return ParseJson(ReadAll(file.path()));
  }
  static std::string ReadAll(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

 private:
  hal_trace_writer_t* writer_ = nullptr;
};

/// The names of the complete events ("ph": "X") of a trace, each checked for its shape.
std::vector<std::string> EventNames(const JsonValue& trace) {
  std::vector<std::string> names;
  EXPECT_TRUE(trace["traceEvents"].IsArray());
  if (!trace["traceEvents"].IsArray()) return names;
  for (const JsonValue& event : trace["traceEvents"].array()) {
    EXPECT_TRUE(event["ph"].IsString());
    if (!event["ph"].IsString() || event["ph"].string() != "X") continue;
    EXPECT_TRUE(event["name"].IsString());
    EXPECT_TRUE(event["ts"].IsNumber());
    EXPECT_TRUE(event["dur"].IsNumber());
    EXPECT_TRUE(event["pid"].IsNumber());
    EXPECT_TRUE(event["tid"].IsNumber());
    EXPECT_GE(event["dur"].number(), 0);
    names.push_back(event["name"].string());
  }
  return names;
}

class TraceWriterTest : public DeviceTest {
 protected:
  void RunFill(const Device& device) const {
    const Buffer buffer = device.CreateBuffer(64);
    const Semaphore done = device.CreateSemaphore();
    ASSERT_OK(device.QueueFill(kNoWaits, {{done, 1}}, buffer, uint32_t{1}));
    ASSERT_OK(done.Wait(1));
    // The next operation's record comes after that of the fill.
    ASSERT_OK(device.QueueBarrier(kNoWaits, {{done, 2}}));
    ASSERT_OK(done.Wait(2));
  }
};

TEST_F(TraceWriterTest, EmptyTraceIsValid) {
  const TraceWriter writer;
  EXPECT_THAT(EventNames(writer.Write()), IsEmpty());
}

TEST_F(TraceWriterTest, WritesWhatWasProfiled) {
  const TraceWriter writer;
  const Executable kernels = LoadKernels("basic");
  writer.Begin(device());
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueDispatch(kNoWaits, {{done, 1}}, kernels, "noop", Dispatch().Workgroups(3)));
  ASSERT_OK(done.Wait(1));
  RunFill(device());
  ASSERT_OK(hal_device_profiling_end(device()));
  const std::vector<std::string> names = EventNames(writer.Write());
  EXPECT_THAT(names, Contains("noop"));
  EXPECT_THAT(names, Contains("dispatch"));
  EXPECT_THAT(names, Contains("fill"));
}

TEST_F(TraceWriterTest, CollectsSeveralDevicesAndSessions) {
  const TraceWriter writer;
  const Device other = OpenSecondDevice();
  for (int i = 0; i < 2; ++i) {
    writer.Begin(device());
    writer.Begin(other);
    RunFill(device());
    RunFill(other);
    ASSERT_OK(hal_device_profiling_end(device()));
    ASSERT_OK(hal_device_profiling_end(other));
  }
  const std::vector<std::string> names = EventNames(writer.Write());
  EXPECT_EQ(std::count(names.begin(), names.end(), "fill"), 4);
}

TEST_F(TraceWriterTest, WritesTheSameTwice) {
  const TraceWriter writer;
  writer.Begin(device());
  RunFill(device());
  ASSERT_OK(hal_device_profiling_end(device()));
  const size_t first = EventNames(writer.Write()).size();
  EXPECT_THAT(EventNames(writer.Write()), SizeIs(first));
}

TEST_F(TraceWriterTest, ShowsLabelsAndDebugGroups) {
  const TraceWriter writer;
  const Executable kernels = LoadKernels("basic");
  const CommandBuffer commands = device().Record([&](const CommandBuffer& c) {
    Check(c.BeginDebugGroup("attention"), "begin");
    Check(c.Dispatch(kernels, "noop", Dispatch()), "dispatch");
    Check(c.EndDebugGroup(), "end");
  });
  writer.Begin(device());
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(hal_push_label(hal_string_view("layer 7")));
  EXPECT_OK(device().QueueExecute(kNoWaits, {{done, 1}}, commands));
  ASSERT_OK(hal_pop_label());
  ASSERT_OK(done.Wait(1));
  RunFill(device());
  ASSERT_OK(hal_device_profiling_end(device()));
  const std::vector<std::string> names = EventNames(writer.Write());
  EXPECT_THAT(names, Contains("layer 7 (execute)"));
  EXPECT_THAT(names, Contains("attention"));
  EXPECT_THAT(names, Contains("fill"));
}

TEST_F(TraceWriterTest, LabelsMayBeAnyBytes) {
  SeededRandom random;
  const TraceWriter writer;
  const Executable kernels = LoadKernels("basic");
  writer.Begin(device());
  const Semaphore done = CreateSemaphore();
  for (uint64_t i = 1; i <= 10; ++i) {
    const std::vector<uint8_t> bytes = random.Bytes(1 + random.Below(100));
    const std::string label(bytes.begin(), bytes.end());
    const CommandBuffer commands = device().Record([&](const CommandBuffer& c) {
      Check(c.BeginDebugGroup(label), "begin");
      Check(c.Dispatch(kernels, "noop", Dispatch()), "dispatch");
      Check(c.EndDebugGroup(), "end");
    });
    ASSERT_OK(hal_push_label(View(label)));
    EXPECT_OK(device().QueueExecute({{done, i - 1}}, {{done, i}}, commands));
    ASSERT_OK(hal_pop_label());
  }
  ASSERT_OK(done.Wait(10));
  RunFill(device());
  ASSERT_OK(hal_device_profiling_end(device()));
  EXPECT_GE(EventNames(writer.Write()).size(), 30u);  // operations, groups, dispatches
}

// Names come from the user and may hold anything.
TEST_F(TraceWriterTest, NamesAreEscaped) {
  const std::string name = "say \"hi\" \\ to\n\ttab and \x01";
  const KernelSource source(device(), "basic");
  if (source.params().export_count == 0) return;  // the format brings its own names
  hal_export_info_t renamed =
      *std::find_if(source.params().exports, source.params().exports + source.params().export_count,
                    [](const hal_export_info_t& info) { return Text(info.name) == "noop"; });
  renamed.symbol = renamed.name;
  renamed.name = View(name);
  hal_executable_params_t params = source.params();
  params.exports = &renamed;
  params.export_count = 1;
  Executable executable;
  ASSERT_OK(hal_executable_create(device(), &params, executable.out()));
  const TraceWriter writer;
  writer.Begin(device());
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueDispatch(kNoWaits, {{done, 1}}, executable, name, Dispatch()));
  ASSERT_OK(done.Wait(1));
  RunFill(device());
  ASSERT_OK(hal_device_profiling_end(device()));
  EXPECT_THAT(EventNames(writer.Write()), Contains(name));
}

TEST_F(TraceWriterTest, FolderThatDoesNotExist) {
  const TraceWriter writer;
  EXPECT_STATUS(HAL_STATUS_NOT_FOUND, hal_trace_writer_write(writer.get(), hal_string_view("/no/such/folder/t.json")));
  EXPECT_THAT(hal_last_error_message(), testing::HasSubstr("/no/such/folder"));
}

TEST_F(TraceWriterTest, TargetThatIsAFolder) {
  const TraceWriter writer;
  const std::string folder = std::filesystem::temp_directory_path().string();
  EXPECT_NE(hal_trace_writer_write(writer.get(), View(folder)), HAL_STATUS_OK);
  EXPECT_TRUE(std::filesystem::is_directory(folder));
}

TEST_F(TraceWriterTest, FolderThatMayNotBeWritten) {
  const TraceWriter writer;
  const TemporaryFile name;  // for a name that no other test uses
  const std::filesystem::path folder = name.path() + ".folder";
  std::filesystem::create_directory(folder);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  if (access(folder.string().c_str(), W_OK) != 0) {  // the superuser may write anywhere
    EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED,
                  hal_trace_writer_write(writer.get(), View((folder / "t.json").string())));
  }
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
  std::filesystem::remove_all(folder);
}

TEST_F(TraceWriterTest, ReplacesAnExistingFileWhole) {
  const TraceWriter writer;
  const TemporaryFile file(std::vector<uint8_t>(100'000, 'x'));
  ASSERT_OK(hal_trace_writer_write(writer.get(), View(file.path())));
  EXPECT_THAT(EventNames(ParseJson(TraceWriter::ReadAll(file.path()))), IsEmpty());
}

TEST_F(TraceWriterTest, LeavesNoOtherFiles) {
  const TraceWriter writer;
  const TemporaryFile name;
  const std::filesystem::path folder = name.path() + ".folder";
  std::filesystem::create_directory(folder);
  ASSERT_OK(hal_trace_writer_write(writer.get(), View((folder / "trace.json").string())));
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path().filename().string());
  std::filesystem::remove_all(folder);
  EXPECT_THAT(files, testing::ElementsAre("trace.json"));
}

TEST_F(TraceWriterTest, DestroyOfNullDoesNothing) { hal_trace_writer_destroy(nullptr); }

}  // namespace
}  // namespace halyard::cts
