// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The times that a profiling session reports are the device's, on the host's clock.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <thread>

#include "halyard/cpp/submit.hpp"
#include "interop_test.h"

namespace halyard::interop {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;  // nanoseconds
constexpr uint64_t kTraced = 21;              // operations

Ref<hal_buffer_t> MakeBuffer(const Ref<hal_device_t>& device) {
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  Ref<hal_buffer_t> buffer;
  EXPECT_OK(hal_allocator_allocate(hal_device_allocator(device.get()), &params, 64, buffer.out()));
  return buffer;
}

uint64_t Now() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

/// What a capture reports, without the names.
class Capture {
 public:
  explicit Capture(hal_device_t* device) : device_(device) {
    hal_profiling_sink_t sink = HAL_INIT(hal_profiling_sink_t);
    sink.user_data = this;
    sink.record = [](void* user_data, const hal_profiling_record_t* record) {
      auto* const capture = static_cast<Capture*>(user_data);
      const std::lock_guard lock(capture->mutex_);
      capture->records_.push_back(*record);
    };
    EXPECT_OK(hal_device_profiling_begin(device, HAL_PROFILING_QUEUE_OPERATIONS | HAL_PROFILING_DISPATCHES, &sink));
  }
  std::vector<hal_profiling_record_t> End(hal_profiling_record_kind_t kind) {
    EXPECT_OK(hal_device_profiling_end(device_));
    std::vector<hal_profiling_record_t> wanted;
    for (const hal_profiling_record_t& record : records_) {
      if (record.kind == kind) wanted.push_back(record);
    }
    return wanted;
  }

 private:
  hal_device_t* const device_;
  std::mutex mutex_;  // protects what follows
  std::vector<hal_profiling_record_t> records_;
};

/// The same in the process that a death test starts, and another in other runs of this program.
std::string FirstProcess() {
  setenv("HALYARD_TEST_PROCESS", std::to_string(getpid()).c_str(), 0);
  return std::getenv("HALYARD_TEST_PROCESS");
}

class InteropProfilingTest : public InteropTest {};

// Both are submitted at once; the device comes to the first when a gate opens, and to the second behind another.
TEST_P(InteropProfilingTest, DispatchesHaveTheTimesOfTheDevice) {
  sim().SetDelay(0);
  const Ref<hal_semaphore_t> done = MakeSemaphore();
  Capture capture(device_.get());
  const uint64_t begin = Now();
  const Gate first = Close(QueueStream(device_, 0));
  ASSERT_OK(QueueAppend({}, {{done.get(), 1}}, 1, 1));
  const Gate second = Close(QueueStream(device_, 0));
  ASSERT_OK(QueueAppend({{done.get(), 1}}, {{done.get(), 2}}, 2, 1));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const uint64_t opened_first = Now();
  first.Open();
  ASSERT_OK(Wait(done, 1));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const uint64_t opened_second = Now();
  second.Open();
  ASSERT_OK(Wait(done, 2));
  const uint64_t end = Now();

  const std::vector<hal_profiling_record_t> dispatches = capture.End(HAL_PROFILING_RECORD_KIND_DISPATCH);
  ASSERT_EQ(dispatches.size(), 2U);
  const uint64_t opened[] = {opened_first, opened_second};
  for (size_t i = 0; i < 2; ++i) {
    const hal_profiling_record_t& record = dispatches[i];
    EXPECT_LE(begin, record.submit_time);
    EXPECT_LT(record.submit_time, opened_first) << "when it was submitted, not when it ran";
    EXPECT_GE(record.start_time + 2 * kMillisecond, opened[i]) << "when it ran, not when it was submitted";
    EXPECT_LE(record.start_time, record.end_time);
    EXPECT_LE(record.end_time, end);
  }
  EXPECT_GE(dispatches[1].start_time, dispatches[0].end_time);
}

// Work in a stream of the application is reported, too.
TEST_P(InteropProfilingTest, WorkInABegunStreamIsReported) {
  sim().SetDelay(0);
  const Stream stream = MakeStream();
  const Ref<hal_semaphore_t> done = MakeSemaphore();
  Capture capture(device_.get());
  const Gate gate = Close(stream);
  ASSERT_OK(interop().begin_stream(device_.get(), stream));
  ASSERT_OK(QueueAppend({}, {{done.get(), 1}}, 1));
  ASSERT_OK(interop().end_stream(device_.get()));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const uint64_t opened = Now();
  gate.Open();
  ASSERT_OK(Wait(done, 1));
  const std::vector<hal_profiling_record_t> dispatches = capture.End(HAL_PROFILING_RECORD_KIND_DISPATCH);
  ASSERT_EQ(dispatches.size(), 1U);
  EXPECT_GE(dispatches[0].start_time + 2 * kMillisecond, opened);
  EXPECT_LE(dispatches[0].end_time, Now());
}

// A process that ends with a device at hand: what it saw done is in the device's trace.
TEST_P(InteropProfilingTest, ATraceHasWhatTheProcessSawDone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string path = testing::TempDir() + "halyard-trace-of-" + FirstProcess() + "-" + GetParam() + ".json";
  const std::string uri = DeviceUri(0, "&trace=" + path);
  const auto end = [&] {
    auto& device = *new Ref<hal_device_t>;  // never released
    if (hal_device_create(hal_string_view(uri.c_str()), device.out()) != HAL_STATUS_OK) std::_Exit(2);
    auto& done = *new Ref<hal_semaphore_t>(MakeSemaphore(device));
    for (uint64_t i = 0; i < kTraced; ++i) {
      const hal_status_t status = hal_device_queue_fill(
          device.get(), hal::SubmitParams(List({{done.get(), i}}), List({{done.get(), i + 1}}), 1),
          hal_buffer_ref(MakeBuffer(device).get(), 0, HAL_WHOLE_SIZE), "", 1);
      if (status != HAL_STATUS_OK) std::_Exit(3);
    }
    while (ValueOf(done) < kTraced) std::this_thread::yield();
    std::exit(0);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(0), "");
  std::ifstream file(path);
  const std::string trace((std::istreambuf_iterator<char>(file)), {});
  std::remove(path.c_str());
  size_t fills = 0;
  for (size_t at = 0; (at = trace.find("\"fill\"", at)) != std::string::npos; ++at) ++fills;
  EXPECT_EQ(fills, kTraced) << trace;
}

INSTANTIATE_TEST_SUITE_P(Completion, InteropProfilingTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
