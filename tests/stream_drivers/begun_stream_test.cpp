// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that go straight into a stream of the application.
#include <thread>
#include <vector>

#include "halyard/cpp/submit.hpp"
#include "interop_test.h"

namespace halyard::interop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class BegunStreamTest : public InteropTest {
 protected:
  Ref<hal_buffer_t> MakeBuffer(const hal_buffer_params_t& params, uint64_t length) {
    Ref<hal_buffer_t> buffer;
    EXPECT_OK(hal_allocator_allocate(hal_device_allocator(device_.get()), &params, length, buffer.out()));
    return buffer;
  }
};

TEST_P(BegunStreamTest, WorkGoesInTheStreamsOrder) {
  const Stream stream = MakeStream();
  const Ref<hal_semaphore_t> done = MakeSemaphore();
  const Gate gate = Close(stream);
  Append(stream, 1);
  ASSERT_OK(interop().begin_stream(device_.get(), stream));
  ASSERT_OK(QueueAppend({}, {{done.get(), 1}}, 2));
  ASSERT_OK(QueueAppend({}, {}, 3, 4));  // whichever queue is named
  ASSERT_OK(interop().end_stream(device_.get()));
  Append(stream, 4);
  EXPECT_EQ(ValueOf(done), 0U);
  gate.Open();
  ASSERT_OK(Wait(done, 1));
  ASSERT_OK(interop().signal_from_stream(device_.get(), stream, List({{done.get(), 2}})));
  ASSERT_OK(Wait(done, 2));
  EXPECT_THAT(Log(), ElementsAre(1, 2, 3, 4));
}

TEST_P(BegunStreamTest, WaitsAreOnTheStream) {
  const Stream stream = MakeStream();
  const Ref<hal_semaphore_t> timeline = MakeSemaphore();
  const Gate gate = Close(QueueStream(device_, 0));
  ASSERT_OK(QueueAppend({}, {{timeline.get(), 1}}, 1, 1));
  ASSERT_OK(interop().begin_stream(device_.get(), stream));
  ASSERT_OK(QueueAppend({{timeline.get(), 1}}, {{timeline.get(), 2}}, 2));
  ASSERT_OK(interop().end_stream(device_.get()));
  Append(stream, 3);
  EXPECT_EQ(ValueOf(timeline), 0U);
  gate.Open();
  ASSERT_OK(interop().signal_from_stream(device_.get(), stream, List({{timeline.get(), 3}})));
  ASSERT_OK(Wait(timeline, 3));
  EXPECT_THAT(Log(), ElementsAre(1, 2, 3));
}

TEST_P(BegunStreamTest, EveryKindOfWork) {
  const Stream stream = MakeStream();
  const Ref<hal_semaphore_t> done = MakeSemaphore();
  const hal_buffer_params_t staging = HAL_BUFFER_PARAMS_STAGING_INIT;
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  const Ref<hal_buffer_t> result = MakeBuffer(staging, 64);
  Ref<hal_command_buffer_t> recording;
  hal_command_buffer_params_t reusable = HAL_INIT(hal_command_buffer_params_t);
  reusable.binding_capacity = 1;
  ASSERT_OK(hal_command_buffer_create(device_.get(), &reusable, recording.out()));
  ASSERT_OK(hal_command_buffer_begin(recording.get()));
  ASSERT_OK(hal_command_buffer_copy(recording.get(), hal_slot_ref(0, 0, 64), hal_buffer_ref(result.get(), 0, 64)));
  ASSERT_OK(hal_command_buffer_end(recording.get()));

  const hal_semaphore_list_t none = List({});
  const uint32_t pattern = 0x1234567;
  const uint32_t word = 99;
  for (uint64_t round = 1; round <= 3; ++round) {
    Ref<hal_buffer_t> scratch;
    ASSERT_OK(interop().begin_stream(device_.get(), stream));
    ASSERT_OK(hal_device_queue_alloca(device_.get(), hal::SubmitParams(none, none, 1), &params, 64, scratch.out()));
    ASSERT_OK(hal_device_queue_fill(device_.get(), hal::SubmitParams(none, none, 1),
                                    hal_buffer_ref(scratch.get(), 0, 64), &pattern, 4));
    ASSERT_OK(hal_device_queue_update(device_.get(), hal::SubmitParams(none, none, 1), &word,
                                      hal_buffer_ref(scratch.get(), 60, 4)));
    const hal_buffer_ref_t slot = hal_buffer_ref(scratch.get(), 0, 64);
    ASSERT_OK(hal_device_queue_execute(device_.get(), hal::SubmitParams(none, none, 1), recording.get(),
                                       hal_buffer_ref_list(&slot, 1)));
    ASSERT_OK(hal_device_queue_dealloca(device_.get(), hal::SubmitParams(none, List({{done.get(), round}}), 1),
                                        scratch.get()));
    ASSERT_OK(interop().end_stream(device_.get()));
    ASSERT_OK(Wait(done, round));
    uint32_t words[16] = {};
    ASSERT_OK(hal_buffer_read(result.get(), 0, words, sizeof(words)));
    EXPECT_EQ(words[0], pattern);
    EXPECT_EQ(words[14], pattern);
    EXPECT_EQ(words[15], word);
    const uint32_t zero = 0;
    ASSERT_OK(hal_buffer_write(result.get(), 0, &zero, 4));
  }
}

TEST_P(BegunStreamTest, WhatCannotGoAtOnceIsRefused) {
  const Stream stream = MakeStream();
  const Ref<hal_semaphore_t> s = MakeSemaphore();
  const Ref<hal_buffer_t> counts = MakeBuffer(HAL_BUFFER_PARAMS_INIT, 12);
  ASSERT_OK(interop().begin_stream(device_.get(), stream));
  EXPECT_EQ(QueueAppend({{s.get(), 7}}, {{s.get(), 8}}, 1), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("no signal that reaches 7"));
  const auto callback = [](void*, hal_status_t) { return HAL_STATUS_OK; };
  EXPECT_EQ(hal_device_queue_host_call(device_.get(), hal::SubmitParams(List({}), List({{s.get(), 1}}), 1), callback,
                                       nullptr),
            HAL_STATUS_UNIMPLEMENTED);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("a host call"));
  hal_dispatch_params_t indirect = HAL_DISPATCH_PARAMS_INIT;
  const uint32_t value = 5;
  const hal_buffer_ref_t binding = hal_buffer_ref(log_buffer_.get(), 0, HAL_WHOLE_SIZE);
  indirect.flags = HAL_DISPATCH_INDIRECT;
  indirect.indirect = hal_buffer_ref(counts.get(), 0, 12);
  indirect.constants = &value;
  indirect.constants_size = sizeof(value);
  indirect.bindings = hal_buffer_ref_list(&binding, 1);
  EXPECT_EQ(hal_device_queue_dispatch(device_.get(), hal::SubmitParams(List({}), List({{s.get(), 1}}), 1),
                                      append_.get(), 0, &indirect),
            HAL_STATUS_UNIMPLEMENTED);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("indirect"));
  Ref<hal_buffer_t> pinned;
  const hal_buffer_params_t staging = HAL_BUFFER_PARAMS_STAGING_INIT;
  EXPECT_EQ(hal_device_queue_alloca(device_.get(), hal::SubmitParams(List({}), List({{s.get(), 1}}), 1), &staging, 64,
                                    pinned.out()),
            HAL_STATUS_UNIMPLEMENTED);
  EXPECT_EQ(pinned.get(), nullptr);
  // Nothing of all that has touched the semaphore or the stream.
  EXPECT_EQ(ValueOf(s), 0U);
  ASSERT_OK(QueueAppend({}, {{s.get(), 1}}, 1));
  ASSERT_OK(interop().end_stream(device_.get()));
  EXPECT_OK(Wait(s, 1));
  EXPECT_THAT(Log(), ElementsAre(1));
}

TEST_P(BegunStreamTest, BeginAndEndPair) {
  const Stream stream = MakeStream();
  const Ref<hal_device_t> other = OpenDevice(1);
  const Ref<hal_semaphore_t> s = MakeSemaphore();
  EXPECT_EQ(interop().end_stream(device_.get()), HAL_STATUS_FAILED_PRECONDITION);
  ASSERT_OK(interop().begin_stream(device_.get(), stream));
  EXPECT_EQ(interop().begin_stream(device_.get(), stream), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_EQ(interop().end_stream(other.get()), HAL_STATUS_FAILED_PRECONDITION);
  // Other threads and other devices are not concerned.
  std::thread([&] { EXPECT_OK(QueueAppend({{s.get(), 1}}, {{s.get(), 2}}, 2)); }).join();
  const Ref<hal_semaphore_t> elsewhere = MakeSemaphore(other);
  EXPECT_OK(
      hal_device_queue_barrier(other.get(), hal::SubmitParams(List({{s.get(), 2}}), List({{elsewhere.get(), 1}}), 1)));
  ASSERT_OK(QueueAppend({}, {{s.get(), 1}}, 1));
  ASSERT_OK(interop().end_stream(device_.get()));
  EXPECT_EQ(interop().end_stream(device_.get()), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_OK(Wait(elsewhere, 1));
  EXPECT_THAT(Log(), ElementsAre(1, 2));
}

// One graph runs in one stream at a time: streams that know nothing of each other get graphs of their own.
TEST_P(BegunStreamTest, StreamsShareNoGraphThatIsAtWork) {
  const Ref<hal_device_t> device = OpenDevice(0, "&command_buffer=graph");
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  Ref<hal_buffer_t> buffers[2];
  const std::vector<uint8_t> data(64, 7);  // an update, as HIP's graphs have no fills
  Ref<hal_command_buffer_t> recording;
  const hal_command_buffer_params_t reusable = HAL_INIT(hal_command_buffer_params_t);
  ASSERT_OK(hal_command_buffer_create(device.get(), &reusable, recording.out()));
  ASSERT_OK(hal_command_buffer_begin(recording.get()));
  for (Ref<hal_buffer_t>& buffer : buffers) {
    ASSERT_OK(hal_allocator_allocate(hal_device_allocator(device.get()), &params, 64, buffer.out()));
    ASSERT_OK(hal_command_buffer_update(recording.get(), data.data(), hal_buffer_ref(buffer.get(), 0, 64)));
  }
  ASSERT_OK(hal_command_buffer_end(recording.get()));

  const Ref<hal_semaphore_t> first = MakeSemaphore(device);
  const Ref<hal_semaphore_t> second = MakeSemaphore(device);
  const Stream streams[2] = {MakeStream(), MakeStream()};
  const auto execute = [&](Stream stream, const Ref<hal_semaphore_t>& done, uint64_t value) {
    ASSERT_OK(interop().begin_stream(device.get(), stream));
    ASSERT_OK(hal_device_queue_execute(device.get(), hal::SubmitParams(List({}), List({{done.get(), value}}), 1),
                                       recording.get(), hal_buffer_ref_list(nullptr, 0)));
    ASSERT_OK(interop().end_stream(device.get()));
  };
  const uint64_t before = sim().Calls(vendor::kNames.instantiate);
  const Gate gate = Close(streams[0]);
  execute(streams[0], first, 1);
  execute(streams[0], first, 2);
  EXPECT_EQ(sim().Calls(vendor::kNames.instantiate), before + 1) << "the stream keeps its own uses apart";
  gate.Open();
  ASSERT_OK(Wait(first, 2));
  const Gate again = Close(streams[0]);
  execute(streams[0], first, 3);
  for (uint64_t value = 1; value <= 8; ++value) execute(streams[1], second, value);
  EXPECT_OK(Wait(second, 8)) << "it stands behind the other stream";
  EXPECT_EQ(sim().Calls(vendor::kNames.instantiate), before + 2);
  again.Open();
  ASSERT_OK(Wait(first, 3));
}

// A callback cannot know on which thread it is called, nor what that thread has begun.
TEST_P(BegunStreamTest, CallbacksSubmitToTheirQueues) {
  const Stream stream = MakeStream();
  const Ref<hal_semaphore_t> trigger = MakeSemaphore();
  const Ref<hal_semaphore_t> done = MakeSemaphore();
  auto append = [&] { EXPECT_OK(QueueAppend({}, {{done.get(), 1}}, 1)); };
  const auto callback = [](void* data, hal_status_t, hal_string_view_t) { (*static_cast<decltype(append)*>(data))(); };
  ASSERT_OK(hal_semaphore_notify(trigger.get(), 1, callback, &append, nullptr));
  const Gate gate = Close(stream);
  ASSERT_OK(interop().begin_stream(device_.get(), stream));
  ASSERT_OK(hal_semaphore_signal(trigger.get(), 1));
  EXPECT_OK(Wait(done, 1)) << "it stands behind the gate";
  ASSERT_OK(QueueAppend({}, {{done.get(), 2}}, 2));
  EXPECT_EQ(ValueOf(done), 1U);
  ASSERT_OK(interop().end_stream(device_.get()));
  gate.Open();
  EXPECT_OK(Wait(done, 2));
  EXPECT_THAT(Log(), ElementsAre(1, 2));
}

TEST_P(BegunStreamTest, ResourcesLiveUntilTheStreamIsDone) {
  const Stream stream = MakeStream();
  const Gate gate = Close(stream);
  const Ref<hal_semaphore_t> done = MakeSemaphore();
  Ref<hal_buffer_t> scratch = MakeBuffer(HAL_BUFFER_PARAMS_INIT, 4096);
  const uint32_t pattern = 1;
  ASSERT_OK(interop().begin_stream(device_.get(), stream));
  ASSERT_OK(hal_device_queue_fill(device_.get(), hal::SubmitParams(List({}), List({{done.get(), 1}}), 1),
                                  hal_buffer_ref(scratch.get(), 0, 4096), &pattern, 4));
  ASSERT_OK(interop().end_stream(device_.get()));
  scratch = {};  // the simulation reports memory that is freed while work needs it
  gate.Open();
  EXPECT_OK(Wait(done, 1));
}

INSTANTIATE_TEST_SUITE_P(Completion, BegunStreamTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
