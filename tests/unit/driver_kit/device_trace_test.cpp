// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameter "trace" of every device: all that it does, in a file, once it is destroyed.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "driver_kit/object/object.h"
#include "halyard/cpp/submit.hpp"
#include "halyard/halyard.h"
#include "support/temporary_files.h"

namespace halyard {
namespace {

using ::testing::HasSubstr;

class DeviceTraceTest : public ::testing::TestWithParam<const char*> {
 protected:
  static hal_status_t Open(const std::string& file, Ref<hal_device_t>* out_device) {
    const std::string uri = std::string(GetParam()) + "?trace=" + file;
    return hal_device_create(hal_string_view(uri.c_str()), out_device->out());
  }
  TemporaryFolder folder_;
};

TEST_P(DeviceTraceTest, IsThereWhenTheDeviceIsGone) {
  Ref<hal_device_t> device;
  ASSERT_EQ(Open(folder_ / "trace.json", &device), HAL_STATUS_OK) << hal_last_error_message();
  Ref<hal_semaphore_t> done;
  ASSERT_EQ(hal_semaphore_create(device.get(), nullptr, done.out()), HAL_STATUS_OK);
  const hal_timeline_point_t signal = {done.get(), 1};
  ASSERT_EQ(hal_device_queue_barrier(device.get(),
                                     hal::SubmitParams(hal_semaphore_list(nullptr, 0), hal_semaphore_list(&signal, 1))),
            HAL_STATUS_OK);
  ASSERT_EQ(hal_semaphore_wait(done.get(), 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK);
  const hal_profiling_sink_t sink = {sizeof(sink), nullptr, [](void*, const hal_profiling_record_t*) {}};
  EXPECT_EQ(hal_device_profiling_begin(device.get(), HAL_PROFILING_QUEUE_OPERATIONS, &sink),
            HAL_STATUS_FAILED_PRECONDITION)
      << "the trace is a profiling session";
  done = {};
  device = {};
  const std::string trace = ReadText(folder_ / "trace.json");
  EXPECT_THAT(trace, HasSubstr("traceEvents"));
  EXPECT_THAT(trace, HasSubstr("barrier"));
}

TEST_P(DeviceTraceTest, IsThereWhenTheProcessEndsWithTheDevice) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const std::string path = ::testing::TempDir() + "halyard-exit-trace.json";  // not folder_: the process makes its own
  const auto end = [&] {
    auto& device = *new Ref<hal_device_t>;  // never released
    const std::string uri = std::string(GetParam()) + "?trace=" + path;
    if (hal_device_create(hal_string_view(uri.c_str()), device.out()) != HAL_STATUS_OK) std::_Exit(2);
    const hal_semaphore_list_t none = hal_semaphore_list(nullptr, 0);
    if (hal_device_queue_barrier(device.get(), hal::SubmitParams(none, none)) != HAL_STATUS_OK) std::_Exit(3);
    std::exit(0);
  };
  EXPECT_EXIT(end(), ::testing::ExitedWithCode(0), "");
  std::ifstream file(path);
  const std::string trace((std::istreambuf_iterator<char>(file)), {});
  EXPECT_THAT(trace, HasSubstr("barrier"));
  std::remove(path.c_str());
}

// The file is the parent's: a child that ends, with a copy of the device, leaves it alone.
TEST(ForkedTraceTest, AChildDoesNotWriteIt) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const TemporaryFolder folder;
  const std::string path = folder / "trace.json";
  const auto run = [&] {
    auto& device = *new Ref<hal_device_t>;  // never released
    const std::string uri = "null://0?trace=" + path;
    if (hal_device_create(hal_string_view(uri.c_str()), device.out()) != HAL_STATUS_OK) std::_Exit(2);
    const hal_semaphore_list_t none = hal_semaphore_list(nullptr, 0);
    if (hal_device_queue_barrier(device.get(), hal::SubmitParams(none, none)) != HAL_STATUS_OK) std::_Exit(3);
    const std::string before = ReadText(folder / "trace.json");
    const pid_t child = fork();
    if (child == 0) std::exit(0);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) std::_Exit(4);
    std::_Exit(ReadText(folder / "trace.json") == before && before.find("barrier") == std::string::npos ? 0 : 1);
  };
  EXPECT_EXIT(run(), ::testing::ExitedWithCode(0), "");
}

TEST_P(DeviceTraceTest, AFileThatCannotBeWrittenIsRefusedAtOnce) {
  Ref<hal_device_t> device;
  EXPECT_EQ(Open(folder_ / "nowhere/trace.json", &device), HAL_STATUS_NOT_FOUND);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("trace: "));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("nowhere"));
  EXPECT_EQ(device.get(), nullptr);
}

TEST_P(DeviceTraceTest, AFileThatCannotBeWrittenIsRefusedAndNotLogged) {
  static std::string log;
  log.clear();
  const auto append = [](void*, hal_log_level_t, hal_string_view_t words) { log.append(words.data, words.size); };
  hal_set_log_callback(append, nullptr, HAL_LOG_LEVEL_DEBUG);
  Ref<hal_device_t> device;
  EXPECT_EQ(Open(folder_ / "none/trace.json", &device), HAL_STATUS_NOT_FOUND);
  hal_set_log_callback(nullptr, nullptr, HAL_LOG_LEVEL_ERROR);
  EXPECT_THAT(hal_last_error_message(), ::testing::StartsWith("hal_device_create: "));
  EXPECT_EQ(log, "");
}

// The path may come with a URI from a configuration file.
TEST_P(DeviceTraceTest, AFileOfAnotherProgramStaysAsItIs) {
  for (const char* text : {"precious\n", "{", "{\"traceEvents\":[]}",
                           "\x7f"
                           "ELF",
                           "{\"writer\":\"Halyard\",\"traces\":[]}"}) {
    const std::string path = folder_.Write("notes", text);
    Ref<hal_device_t> device;
    EXPECT_EQ(Open(path, &device), HAL_STATUS_ALREADY_EXISTS) << text;
    EXPECT_THAT(hal_last_error_message(), HasSubstr(path));
    EXPECT_EQ(device.get(), nullptr);
    EXPECT_EQ(ReadText(path), text);
  }
}

TEST_P(DeviceTraceTest, AFileThatReplacesTheTraceMeanwhileStays) {
  Ref<hal_device_t> device;
  ASSERT_EQ(Open(folder_ / "trace.json", &device), HAL_STATUS_OK) << hal_last_error_message();
  folder_.Write("trace.json", "precious");
  device = {};
  EXPECT_EQ(ReadText(folder_ / "trace.json"), "precious");
}

TEST_P(DeviceTraceTest, AnEarlierTraceAndAnEmptyFileAreReplaced) {
  const std::string path = folder_.Write("trace.json", "");
  for (int i = 0; i < 2; ++i) {
    Ref<hal_device_t> device;
    ASSERT_EQ(Open(path, &device), HAL_STATUS_OK) << hal_last_error_message();
    device = {};
    EXPECT_THAT(ReadText(path), HasSubstr("traceEvents"));
  }
}

INSTANTIATE_TEST_SUITE_P(Device, DeviceTraceTest, ::testing::Values("local://sync", "local://task", "null://"),
                         [](const auto& tested) {
                           std::string name;
                           for (const char c : std::string(tested.param)) {
                             if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
                           }
                           return name;
                         });

}  // namespace
}  // namespace halyard
