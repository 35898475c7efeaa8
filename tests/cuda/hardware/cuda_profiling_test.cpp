// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The times of a profiling session are the device's. Everything is submitted at once. By the host's times the second
// kernel would begin with the first and last twice as long.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/hardware/cuda_test.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::cuda {
namespace {

constexpr uint64_t kDuration = 50'000'000;  // nanoseconds, of each kernel
constexpr double kTolerance = 0.1;          // of that
// Nanoseconds by which two times that are the same may differ: CUDA gives milliseconds since an event, as a float.
constexpr uint64_t kRounding = 20'000;

using Records = std::vector<hal_profiling_record_t>;

/// What a capture reports, in the order of the times. The names are good during the call only, and are dropped.
class Capture {
 public:
  explicit Capture(const Ref<hal_device_t>& device) : device_(device) {
    hal_profiling_sink_t sink = HAL_INIT(hal_profiling_sink_t);
    sink.user_data = this;
    sink.record = [](void* user_data, const hal_profiling_record_t* record) {
      auto* const capture = static_cast<Capture*>(user_data);
      const std::lock_guard lock(capture->mutex_);
      capture->records_.push_back(*record);
      capture->records_.back().name = {nullptr, 0};
    };
    EXPECT_EQ(
        hal_device_profiling_begin(device.get(), HAL_PROFILING_QUEUE_OPERATIONS | HAL_PROFILING_DISPATCHES, &sink),
        HAL_STATUS_OK)
        << hal_last_error_message();
  }
  Records End(hal_profiling_record_kind_t kind) {
    EXPECT_EQ(hal_device_profiling_end(device_.get()), HAL_STATUS_OK) << hal_last_error_message();
    Records wanted;
    for (const hal_profiling_record_t& record : records_) {
      if (record.kind == kind) wanted.push_back(record);
    }
    std::sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.start_time < b.start_time; });
    return wanted;
  }

 private:
  const Ref<hal_device_t> device_;
  std::mutex mutex_;  // protects what follows
  Records records_;
};

/// Two kernels, one after the other on the device.
void ExpectTheDevicesTimes(const Records& records) {
  ASSERT_EQ(records.size(), 2U);
  for (const hal_profiling_record_t& record : records) {
    EXPECT_LE(record.submit_time, record.start_time);
    EXPECT_NEAR(static_cast<double>(record.end_time - record.start_time), kDuration, kTolerance * kDuration);
  }
  EXPECT_GE(records[1].start_time + kRounding, records[0].end_time);
  // It was there when the first began to run: the host's time for its beginning would not do.
  EXPECT_LT(records[1].submit_time, records[0].start_time + kDuration / 2);
}

/// The parameter is the device's.
class CudaProfilingTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (Open(Uri(GetParam()), &device_) != HAL_STATUS_OK) GTEST_SKIP() << hal_last_error_message();
    ASSERT_EQ(Load(device_, kKernels, "spin", sizeof(kDuration), &spin_), HAL_STATUS_OK) << hal_last_error_message();
    ASSERT_EQ(hal_semaphore_create(device_.get(), nullptr, timeline_.out()), HAL_STATUS_OK);
    const uint64_t short_while = 1000;  // CUDA puts a kernel on the device when it is launched for the first time
    ASSERT_EQ(Dispatch(device_, {}, {{timeline_.get(), 1}}, spin_, &short_while), HAL_STATUS_OK);
    ASSERT_EQ(Wait(1), HAL_STATUS_OK);
  }
  hal_status_t Wait(uint64_t value) const { return hal_semaphore_wait(timeline_.get(), value, kTenSeconds); }
  Ref<hal_command_buffer_t> RecordTwo() const;

  Ref<hal_device_t> device_;
  Ref<hal_executable_t> spin_;
  Ref<hal_semaphore_t> timeline_;
};

Ref<hal_command_buffer_t> CudaProfilingTest::RecordTwo() const {
  hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
  dispatch.constants = &kDuration;
  dispatch.constants_size = sizeof(kDuration);
  const hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  Ref<hal_command_buffer_t> commands;
  EXPECT_EQ(hal_command_buffer_create(device_.get(), &params, commands.out()), HAL_STATUS_OK);
  EXPECT_EQ(hal_command_buffer_begin(commands.get()), HAL_STATUS_OK);
  EXPECT_EQ(hal_command_buffer_dispatch(commands.get(), spin_.get(), 0, &dispatch), HAL_STATUS_OK);
  EXPECT_EQ(hal_command_buffer_barrier(commands.get()), HAL_STATUS_OK);
  EXPECT_EQ(hal_command_buffer_dispatch(commands.get(), spin_.get(), 0, &dispatch), HAL_STATUS_OK);
  EXPECT_EQ(hal_command_buffer_end(commands.get()), HAL_STATUS_OK) << hal_last_error_message();
  return commands;
}

// Both their dispatches and the queue operations themselves.
TEST_P(CudaProfilingTest, OfQueueOperationsThatWereSubmittedAtOnce) {
  for (const auto kind : {HAL_PROFILING_RECORD_KIND_DISPATCH, HAL_PROFILING_RECORD_KIND_QUEUE_OPERATION}) {
    Ref<hal_semaphore_t> done;
    ASSERT_EQ(hal_semaphore_create(device_.get(), nullptr, done.out()), HAL_STATUS_OK);
    Capture capture(device_);
    ASSERT_EQ(Dispatch(device_, {}, {{done.get(), 1}}, spin_, &kDuration), HAL_STATUS_OK);
    ASSERT_EQ(Dispatch(device_, {{done.get(), 1}}, {{done.get(), 2}}, spin_, &kDuration), HAL_STATUS_OK);
    ASSERT_EQ(hal_semaphore_wait(done.get(), 2, kTenSeconds), HAL_STATUS_OK);
    ExpectTheDevicesTimes(capture.End(kind));
  }
}

// A recording is submitted as one, and the host learns of its end alone.
TEST_P(CudaProfilingTest, OfTheDispatchesOfARecording) {
  const Ref<hal_command_buffer_t> commands = RecordTwo();
  Capture capture(device_);
  const Points done = {{timeline_.get(), 2}};
  ASSERT_EQ(hal_device_queue_execute(device_.get(), hal::SubmitParams(hal_semaphore_list_empty(), List(done), 1),
                                     commands.get(), hal_buffer_ref_list(nullptr, 0)),
            HAL_STATUS_OK)
      << hal_last_error_message();
  ASSERT_EQ(Wait(2), HAL_STATUS_OK);
  ExpectTheDevicesTimes(capture.End(HAL_PROFILING_RECORD_KIND_DISPATCH));
}

INSTANTIATE_TEST_SUITE_P(Modes, CudaProfilingTest,
                         testing::Values("completion=fast&command_buffer=stream",
                                         "completion=fast&command_buffer=graph",
                                         "completion=portable&command_buffer=stream",
                                         "completion=portable&command_buffer=graph"),
                         [](const auto& test) {
                           std::string name;
                           for (const char c : std::string(test.param)) {
                             if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
                           }
                           return name;
                         });

}  // namespace
}  // namespace halyard::cuda
