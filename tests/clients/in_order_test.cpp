// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and the times of one operation, on the devices that the process has. HALYARD_TEST_DEVICE names another one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "halyard/halyard.hpp"

namespace halyard {
namespace {

using testing::Each;
using testing::HasSubstr;

std::vector<std::string> Uris() {
  if (const char* const other = std::getenv("HALYARD_TEST_DEVICE")) return {other};
  return {"local://sync", "local://task"};
}

class StreamTest : public testing::TestWithParam<std::string> {
 protected:
  static constexpr uint64_t kWords = 256;

  StreamTest() : device_(hal::Device::Open(GetParam())), stream_(hal::Stream::Create(device_.get())) {}
  hal::Buffer Words() const { return device_.allocator().Allocate(kWords * 4); }
  std::vector<uint32_t> Read(const hal::Stream& stream, const hal::Buffer& buffer) const {
    std::vector<uint32_t> words(kWords, 99);
    stream.Download(buffer, words.data());
    stream.Wait();
    return words;
  }

  hal::Device device_;
  hal::Stream stream_;
};

TEST_P(StreamTest, WorkRunsInOrder) {
  const hal::Buffer a = Words(), b = Words();
  for (uint32_t i = 0; i < 50; ++i) {
    stream_.Fill(a, i);
    stream_.Copy(a, b);
    stream_.Fill(a, 1000 + i);
  }
  EXPECT_THAT(Read(stream_, b), Each(49u));
  EXPECT_THAT(Read(stream_, a), Each(1049u));
}

TEST_P(StreamTest, EachOperationIsOneValue) {
  EXPECT_EQ(stream_.Record().value, 0u);
  stream_.Wait();  // nothing was submitted
  stream_.Fill(Words(), 1u);
  stream_.Fill(Words(), 2u);
  const hal_timeline_point_t end = stream_.Record();
  EXPECT_EQ(end.value, 2u);
  EXPECT_EQ(hal_semaphore_wait(end.semaphore, end.value, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK);
  EXPECT_EQ(hal_stream_device(stream_.get()), device_.get());
}

TEST_P(StreamTest, StreamsWaitForOneAnother) {
  const hal::Stream other = hal::Stream::Create(device_.get());
  const hal::Buffer a = Words(), b = Words();
  const hal::Semaphore gate = hal::Semaphore::Create(device_.get());
  other.WaitFor(gate.At(1));
  other.Fill(a, 7u);
  stream_.WaitFor(other);
  stream_.Copy(a, b);
  EXPECT_EQ(hal_stream_wait(stream_.get(), 0), HAL_STATUS_DEADLINE_EXCEEDED);
  gate.Signal(1);
  EXPECT_THAT(Read(stream_, b), Each(7u));
}

TEST_P(StreamTest, OneOfAnotherDevice) {
  const hal::Device host = hal::Device::Open("local://sync");
  const hal::Stream other = hal::Stream::Create(host.get());
  const hal::Semaphore gate = hal::Semaphore::Create(host.get());
  other.WaitFor(gate.At(1));
  stream_.WaitFor(other);
  const hal::Buffer a = Words();
  stream_.Fill(a, 3u);
  EXPECT_EQ(hal_stream_wait(stream_.get(), 0), HAL_STATUS_DEADLINE_EXCEEDED);
  gate.Signal(1);
  EXPECT_THAT(Read(stream_, a), Each(3u));
}

// The message is the operation's own, and the stream goes on.
TEST_P(StreamTest, WhatIsRefusedLeavesNoGap) {
  const hal::Buffer a = Words();
  stream_.Fill(a, 1u);
  const uint32_t pattern = 5;
  EXPECT_EQ(hal_stream_fill(stream_.get(), hal_buffer_ref(a.get(), 0, 4096), &pattern, 4), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("hal_stream_fill: target"));
  EXPECT_EQ(stream_.Record().value, 2u);
  stream_.Fill(a.Range(0, 4), 2u);
  std::vector<uint32_t> expected(kWords, 1);
  expected[0] = 2;
  EXPECT_EQ(Read(stream_, a), expected);
}

TEST_P(StreamTest, AFailureEndsTheStream) {
  const auto fail = [](void*, hal_status_t status) {
    hal_set_error_message(hal_string_view("made to fail"));
    return status == HAL_STATUS_OK ? HAL_STATUS_ABORTED : status;
  };
  ASSERT_EQ(hal_stream_host_call(stream_.get(), fail, nullptr), HAL_STATUS_OK);
  EXPECT_EQ(hal_stream_wait(stream_.get(), HAL_TIMEOUT_INFINITE), HAL_STATUS_ABORTED);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("made to fail"));
}

TEST_P(StreamTest, CallbacksSubmitToTheirStream) {
  struct Chain {
    const hal::Stream& stream;
    const hal::Buffer& buffer;
  };
  const hal::Buffer a = Words();
  Chain chain = {stream_, a};
  const hal::Semaphore done = hal::Semaphore::Create(device_.get());
  const auto call = [](void* user_data, hal_status_t status) {
    const Chain& given = *static_cast<const Chain*>(user_data);
    const uint32_t pattern = 8;
    if (status != HAL_STATUS_OK) return status;
    return hal_stream_fill(given.stream.get(), hal_buffer_ref(given.buffer.get(), 0, HAL_WHOLE_SIZE), &pattern, 4);
  };
  ASSERT_EQ(hal_stream_host_call(stream_.get(), call, &chain), HAL_STATUS_OK);
  const hal_timeline_point_t called = stream_.Record();
  ASSERT_EQ(hal_semaphore_wait(called.semaphore, called.value, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK);
  EXPECT_THAT(Read(stream_, a), Each(8u));
}

// Some of what they submit is refused.
TEST_P(StreamTest, ThreadsShareIt) {
  constexpr uint32_t kThreads = 4, kRounds = 50;
  const hal::Buffer a = Words();
  const auto run = [&](uint32_t number) {
    const uint32_t pattern = number;
    for (uint32_t i = 0; i < kRounds; ++i) {
      EXPECT_EQ(hal_stream_fill(stream_.get(), hal_buffer_ref(a.get(), 0, HAL_WHOLE_SIZE), &pattern, 4), HAL_STATUS_OK);
      EXPECT_EQ(hal_stream_fill(stream_.get(), hal_buffer_ref(nullptr, 0, 4), &pattern, 4),
                HAL_STATUS_INVALID_ARGUMENT);
    }
  };
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kThreads; ++i) threads.emplace_back(run, i);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stream_.Record().value, 2 * kThreads * kRounds);
  const std::vector<uint32_t> words = Read(stream_, a);
  EXPECT_THAT(words, Each(words[0])) << "two fills ran at the same time";
}

TEST_P(StreamTest, ExecutesRecordings) {
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  params.binding_capacity = 1;
  const hal::CommandBuffer commands = hal::CommandBuffer::Create(device_.get(), params);
  commands.Begin();
  commands.Fill(hal::Slot(0), 6u);
  commands.End();
  const hal::Buffer a = Words();
  const hal_buffer_ref_t table = hal_buffer_ref(a.get(), 0, HAL_WHOLE_SIZE);
  stream_.Execute(commands.get(), hal::Refs(std::span<const hal_buffer_ref_t>(&table, 1)));
  EXPECT_THAT(Read(stream_, a), Each(6u));
}

TEST_P(StreamTest, OneOperationIsTimed) {
  const hal::Buffer a = Words();
  uint64_t before = 0;
  for (int i = 0; i < 3; ++i) {
    hal_operation_times_t times = HAL_INIT(hal_operation_times_t);
    hal_stream_step_t step;
    ASSERT_EQ(hal_stream_begin(stream_.get(), &step), HAL_STATUS_OK);
    hal_submit_params_t submit = hal_stream_submit_params(&step);
    submit.out_times = &times;
    const uint32_t pattern = 4;
    const hal_status_t status =
        hal_device_queue_fill(device_.get(), &submit, hal_buffer_ref(a.get(), 0, HAL_WHOLE_SIZE), &pattern, 4);
    ASSERT_EQ(hal_stream_end(stream_.get(), &step, status), HAL_STATUS_OK);
    stream_.Wait();
    EXPECT_GT(times.start_time, 0u);
    EXPECT_GE(times.start_time, before);
    EXPECT_GE(times.end_time, times.start_time);
    before = times.start_time;
  }
  EXPECT_THAT(Read(stream_, a), Each(4u));
}

TEST_P(StreamTest, WhatFailedHasNoTimes) {
  const hal::Semaphore failed = hal::Semaphore::Create(device_.get());
  failed.Fail(HAL_STATUS_ABORTED, "made to fail");
  hal_operation_times_t times = HAL_INIT(hal_operation_times_t);
  const hal::Semaphore done = hal::Semaphore::Create(device_.get());
  const hal_timeline_point_t wait = failed.At(1), signal = done.At(1);
  hal_submit_params_t submit = hal_submit_params(hal_semaphore_list(&wait, 1), hal_semaphore_list(&signal, 1));
  submit.out_times = &times;
  ASSERT_EQ(hal_device_queue_barrier(device_.get(), &submit), HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_wait(done.get(), 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_ABORTED);
  EXPECT_EQ(times.start_time, 0u);
  times.struct_size = 0;
  EXPECT_EQ(hal_device_queue_barrier(device_.get(), &submit), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("out_times->struct_size"));
}

TEST_P(StreamTest, WrongArguments) {
  hal_stream_t* stream = nullptr;
  EXPECT_EQ(hal_stream_create(nullptr, nullptr, &stream), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_stream_create(device_.get(), nullptr, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  hal_stream_params_t params = HAL_INIT(hal_stream_params_t);
  params.queues = hal_queue_mask_t{1} << 63;
  EXPECT_EQ(hal_stream_create(device_.get(), &params, &stream), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(stream, nullptr);
  EXPECT_EQ(hal_stream_wait(nullptr, 0), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_stream_wait_stream(stream_.get(), nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_stream_wait_stream(nullptr, stream_.get()), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_stream_wait_points(stream_.get(), {nullptr, 1}), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_stream_fill(nullptr, {}, nullptr, 4), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("hal_stream_fill: stream is NULL"));
  EXPECT_EQ(hal_stream_begin(stream_.get(), nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_stream_end(stream_.get(), nullptr, HAL_STATUS_OK), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_stream_record(nullptr).semaphore, nullptr);
  EXPECT_EQ(hal_stream_device(nullptr), nullptr);
  EXPECT_EQ(hal_object_set_label(stream_.get(), hal_string_view("of the test")), HAL_STATUS_OK);
  hal_stream_retain(nullptr);
  hal_stream_release(nullptr);
  EXPECT_EQ(stream_.Record().value, 0u);
}

std::string NameOf(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return name;
}
INSTANTIATE_TEST_SUITE_P(Devices, StreamTest, testing::ValuesIn(Uris()), NameOf);

}  // namespace
}  // namespace halyard
