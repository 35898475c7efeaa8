// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams that only HIP has, or treats differently: the default streams, which belong to no device by themselves.
#include <thread>

#include "halyard/cpp/submit.hpp"
#include "interop_test.h"

namespace halyard::interop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Stream kLegacy = reinterpret_cast<Stream>(uintptr_t{1});     // hipStreamLegacy
const Stream kPerThread = reinterpret_cast<Stream>(uintptr_t{2});  // hipStreamPerThread

/// The parameter is the completion mode.
class HipStreamsTest : public InteropTest {
 protected:
  hal_status_t SignalFrom(Stream stream, const Ref<hal_semaphore_t>& semaphore, uint64_t value) {
    return interop().signal_from_stream(device_.get(), stream, List({{semaphore.get(), value}}));
  }
  hal_status_t WaitOn(Stream stream, const Ref<hal_semaphore_t>& semaphore, uint64_t value) {
    return interop().wait_on_stream(device_.get(), stream, List({{semaphore.get(), value}}));
  }
};

// The thread has the other device current: the stream is that of Halyard's device all the same.
TEST_P(HipStreamsTest, DefaultStreamsAreThoseOfTheDevice) {
  const vendor::Current elsewhere(1);
  for (const Stream stream : {Stream(nullptr), kLegacy, kPerThread}) {
    const Ref<hal_semaphore_t> timeline = MakeSemaphore();
    const auto base = static_cast<uint32_t>(Log().size());
    const Gate gate = Close(stream);  // on device 0, as all that InteropTest does
    Append(stream, base + 1);
    ASSERT_OK(SignalFrom(stream, timeline, 1));
    ASSERT_OK(QueueAppend({{timeline.get(), 1}}, {{timeline.get(), 2}}, base + 2));
    ASSERT_OK(WaitOn(stream, timeline, 2));
    Append(stream, base + 3);
    ASSERT_OK(SignalFrom(stream, timeline, 3));
    EXPECT_EQ(ValueOf(timeline), 0U);
    gate.Open();
    ASSERT_OK(Wait(timeline, 3));
  }
  EXPECT_THAT(Log(), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_EQ(vendor::WhatIsCurrent(), 1U);
}

TEST_P(HipStreamsTest, WorkGoesIntoDefaultStreams) {
  for (const Stream stream : {Stream(nullptr), kLegacy, kPerThread}) {
    const Ref<hal_semaphore_t> timeline = MakeSemaphore();
    const auto base = static_cast<uint32_t>(Log().size());
    const Gate gate = Close(stream);
    ASSERT_OK(interop().begin_stream(device_.get(), stream));
    ASSERT_OK(QueueAppend({}, {{timeline.get(), 1}}, base + 1));
    ASSERT_OK(interop().end_stream(device_.get()));
    Append(stream, base + 2);
    ASSERT_OK(SignalFrom(stream, timeline, 2));
    EXPECT_EQ(ValueOf(timeline), 0U);
    gate.Open();
    ASSERT_OK(Wait(timeline, 2));
  }
  EXPECT_THAT(Log(), ElementsAre(1, 2, 3, 4, 5, 6));
}

// The same handle is another stream on each thread. That the work is done may be learnt in the order of the calls.
TEST_P(HipStreamsTest, EachThreadHasItsPerThreadStream) {
  const Ref<hal_semaphore_t> held = MakeSemaphore();
  const Ref<hal_semaphore_t> other = MakeSemaphore();
  const Gate gate = Close(kPerThread);
  ASSERT_OK(SignalFrom(kPerThread, held, 1));
  std::thread([&] {
    ASSERT_OK(interop().begin_stream(device_.get(), kPerThread));
    ASSERT_OK(QueueAppend({}, {{other.get(), 1}}, 1));
    ASSERT_OK(interop().end_stream(device_.get()));
    const vendor::Current current(0);
    ASSERT_DONE(vendor::SynchronizeStream(kPerThread));
  }).join();
  EXPECT_THAT(Log(), ElementsAre(1)) << "it stands behind the other thread's";
  EXPECT_EQ(ValueOf(held), 0U);
  gate.Open();
  EXPECT_OK(Wait(held, 1));
  EXPECT_OK(Wait(other, 1));
}

// A graph that runs in both is ordered on the device.
TEST_P(HipStreamsTest, AGraphTakesTurnsBetweenDefaultStreamAndQueue) {
  const Ref<hal_device_t> device = OpenDevice(0, "&command_buffer=graph");
  const hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  Ref<hal_command_buffer_t> commands;
  ASSERT_OK(hal_command_buffer_create(device.get(), &params, commands.out()));
  ASSERT_OK(hal_command_buffer_begin(commands.get()));
  const hal_buffer_params_t plain = HAL_BUFFER_PARAMS_INIT;
  Ref<hal_buffer_t> buffer;
  ASSERT_OK(hal_allocator_allocate(hal_device_allocator(device.get()), &plain, 64, buffer.out()));
  for (const uint8_t value : {uint8_t{1}, uint8_t{2}}) {
    const std::vector<uint8_t> data(64, value);
    ASSERT_OK(hal_command_buffer_update(commands.get(), data.data(), hal_buffer_ref(buffer.get(), 0, 64)));
    ASSERT_OK(hal_command_buffer_barrier(commands.get()));
  }
  ASSERT_OK(hal_command_buffer_end(commands.get()));
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(device);
  uint64_t value = 0;
  const auto execute = [&] {
    const Points waits = {{timeline.get(), value}};
    const Points signals = {{timeline.get(), ++value}};
    ASSERT_OK(
        hal_device_queue_execute(device.get(), hal::SubmitParams(List(waits), List(signals), 1), commands.get(), {}));
  };
  for (const Stream stream : {Stream(nullptr), kLegacy, kPerThread, Stream(nullptr)}) {
    ASSERT_OK(interop().begin_stream(device.get(), stream));
    execute();
    ASSERT_OK(interop().end_stream(device.get()));
    execute();
  }
  EXPECT_OK(Wait(timeline, value));
}

TEST_P(HipStreamsTest, StreamsUnderCaptureAreRefused) {
  const Ref<hal_semaphore_t> timeline = MakeSemaphore();
  for (const Stream stream : {MakeStream(), kPerThread}) {
    {
      const vendor::Current current(0);
      ASSERT_DONE(vendor::BeginCapture(stream, vendor::kCaptureRelaxed));
    }
    EXPECT_EQ(SignalFrom(stream, timeline, 1), HAL_STATUS_FAILED_PRECONDITION);
    EXPECT_THAT(hal_last_error_message(), HasSubstr("signal_from_stream: the stream is being captured"));
    EXPECT_EQ(WaitOn(stream, timeline, 0), HAL_STATUS_FAILED_PRECONDITION);
    EXPECT_EQ(interop().begin_stream(device_.get(), stream), HAL_STATUS_FAILED_PRECONDITION);
    const vendor::Current current(0);
    Graph graph = nullptr;
    EXPECT_DONE(vendor::EndCapture(stream, &graph)) << "a call has invalidated the capture";
    EXPECT_DONE(vendor::DestroyGraph(graph));
  }
  EXPECT_EQ(ValueOf(timeline), 0U);
}

TEST_P(HipStreamsTest, StreamsOfAnotherDeviceAreRefused) {
  const Stream foreign = MakeStream(1);
  const Ref<hal_semaphore_t> timeline = MakeSemaphore();
  EXPECT_EQ(SignalFrom(foreign, timeline, 1), HAL_STATUS_INCOMPATIBLE);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("the stream is of device 1, not of 0"));
  EXPECT_EQ(WaitOn(foreign, timeline, 0), HAL_STATUS_INCOMPATIBLE);
  EXPECT_EQ(interop().begin_stream(device_.get(), foreign), HAL_STATUS_INCOMPATIBLE);
  EXPECT_EQ(ValueOf(timeline), 0U);
}

INSTANTIATE_TEST_SUITE_P(Completion, HipStreamsTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
