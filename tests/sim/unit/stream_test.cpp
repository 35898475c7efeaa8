// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams, events, memory operations, host functions.
#include "cuda_sim_test.h"

namespace halyard::sim {
namespace {

using StreamTest = CudaSimTest;
using cu::Result;

TEST_F(StreamTest, OperationsOfAStreamAreInOrder) {
  uint32_t* log = MakePinned<uint32_t>(64);
  for (uint32_t i = 0; i < 50; ++i) ASSERT_CU(Append(log, i, stream_));
  ASSERT_CU(api_.StreamSynchronize(stream_));
  ASSERT_EQ(log[0], 50U);
  for (uint32_t i = 0; i < 50; ++i) EXPECT_EQ(log[i + 1], i);
}

TEST_F(StreamTest, WorkIsAsynchronous) {
  uint32_t* log = MakePinned<uint32_t>(4);
  Close(stream_);
  ASSERT_CU(Append(log, 7, stream_));
  EXPECT_EQ(api_.StreamQuery(stream_), Result::kErrorNotReady);
  EXPECT_EQ(log[0], 0U);
  Open();
  ASSERT_CU(api_.StreamSynchronize(stream_));
  EXPECT_EQ(log[0], 1U);
  EXPECT_CU(api_.StreamQuery(stream_));
}

TEST_F(StreamTest, AnUnrecordedEventHoldsNothingUp) {
  cu::Event event = MakeEvent();
  EXPECT_CU(api_.EventQuery(event));
  ASSERT_CU(api_.StreamWaitEvent(stream_, event, 0));
  EXPECT_CU(api_.StreamSynchronize(stream_));
}

TEST_F(StreamTest, AWaitIsForTheRecordThatWasThere) {
  cu::Stream other = MakeStream();
  cu::Event event = MakeEvent();
  ASSERT_CU(api_.EventRecord(event, stream_));
  ASSERT_CU(api_.StreamWaitEvent(other, event, 0));
  Close(stream_);
  ASSERT_CU(api_.EventRecord(event, stream_));  // arms it again, which the wait does not notice
  EXPECT_EQ(api_.EventQuery(event), Result::kErrorNotReady);
  EXPECT_CU(api_.StreamSynchronize(other));
  Open();
  EXPECT_CU(api_.EventSynchronize(event));
}

TEST_F(StreamTest, EventsOrderStreams) {
  cu::Stream other = MakeStream();
  cu::Event event = MakeEvent();
  uint32_t* log = MakePinned<uint32_t>(4);
  Close(stream_);
  ASSERT_CU(Append(log, 1, stream_));
  ASSERT_CU(api_.EventRecord(event, stream_));
  ASSERT_CU(api_.StreamWaitEvent(other, event, 0));
  ASSERT_CU(Append(log, 2, other));
  EXPECT_EQ(api_.StreamQuery(other), Result::kErrorNotReady);
  Open();
  ASSERT_CU(api_.StreamSynchronize(other));
  EXPECT_THAT(std::vector(log, log + 3), testing::ElementsAre(2, 1, 2));
}

TEST_F(StreamTest, AWaitForAValueBlocksItsStreamUntilAnotherWrites) {
  cu::Stream other = MakeStream();
  uint64_t* word = MakePinned<uint64_t>(1);
  const auto address = reinterpret_cast<cu::DevicePtr>(word);
  ASSERT_CU(api_.StreamWaitValue64(stream_, address, 5, 0));
  ASSERT_CU(api_.StreamWriteValue64(other, address, 4, 0));
  ASSERT_CU(api_.StreamSynchronize(other));
  EXPECT_EQ(api_.StreamQuery(stream_), Result::kErrorNotReady);
  ASSERT_CU(api_.StreamWriteValue64(other, address, 6, 0));
  EXPECT_CU(api_.StreamSynchronize(stream_));
}

TEST_F(StreamTest, MemoryOperationsComeInBatches) {
  uint64_t* words = MakePinned<uint64_t>(2);
  cu::StreamMemOpParams params[2] = {};
  for (size_t i = 0; i < 2; ++i) {
    params[i].write_value.operation = cu::StreamMemOp::kWriteValue64;
    params[i].write_value.address = reinterpret_cast<cu::DevicePtr>(words + i);
    params[i].write_value.value64 = i + 1;
  }
  ASSERT_CU(api_.StreamBatchMemOp(stream_, 2, params, 0));
  ASSERT_CU(api_.StreamSynchronize(stream_));
  EXPECT_EQ(words[0] + words[1], 3U);
}

TEST_F(StreamTest, AWriteOutsideOfMemoryIsReported) {
  static uint64_t unknown = 0;
  EXPECT_EQ(api_.StreamWriteValue64(stream_, reinterpret_cast<cu::DevicePtr>(&unknown), 1, 0),
            Result::kErrorInvalidValue);
  EXPECT_EQ(TakeReports("out-of-bounds"), 1U);
}

TEST_F(StreamTest, HostFunctionsRunInOrder) {
  uint32_t* log = MakePinned<uint32_t>(4);
  const auto append = [](void* data) {
    auto* words = static_cast<uint32_t*>(data);
    words[++words[0]] = 9;
  };
  ASSERT_CU(Append(log, 1, stream_));
  ASSERT_CU(api_.LaunchHostFunc(stream_, append, log));
  ASSERT_CU(Append(log, 2, stream_));
  ASSERT_CU(api_.StreamSynchronize(stream_));
  EXPECT_THAT(std::vector(log, log + 4), testing::ElementsAre(3, 1, 9, 2));
}

TEST_F(StreamTest, AHostFunctionMayNotCall) {
  const auto call = [](void* data) { *static_cast<Result*>(data) = CudaApi::Get().CtxSynchronize(); };
  Result result = Result::kSuccess;
  ASSERT_CU(api_.LaunchHostFunc(stream_, call, &result));
  ASSERT_CU(api_.StreamSynchronize(stream_));
  EXPECT_EQ(result, Result::kErrorNotPermitted);
  EXPECT_EQ(TakeReports("call-in-host-function"), 1U);
}

TEST_F(StreamTest, AStreamAtWorkIsNotDestroyed) {
  cu::Stream stream = nullptr;
  cu::Event end = MakeEvent();
  ASSERT_CU(api_.StreamCreate(&stream, 1));
  Close(stream);
  ASSERT_CU(api_.EventRecord(end, stream));
  EXPECT_CU(api_.StreamDestroy(stream));
  EXPECT_EQ(TakeReports("destroy-in-use"), 1U);
  Open();
  EXPECT_CU(api_.EventSynchronize(end));  // what was submitted is still carried out
  EXPECT_EQ(api_.StreamQuery(stream), Result::kErrorInvalidHandle);
  EXPECT_EQ(TakeReports("invalid-handle"), 1U);
}

TEST_F(StreamTest, AnEventInUseIsNotDestroyed) {
  cu::Event event = nullptr;
  ASSERT_CU(api_.EventCreate(&event, 0));
  Close(stream_);
  ASSERT_CU(api_.EventRecord(event, stream_));
  EXPECT_CU(api_.EventDestroy(event));
  EXPECT_EQ(TakeReports("destroy-in-use"), 1U);
}

TEST_F(StreamTest, RulesCanBeIgnored) {
  api_.Ignore("hidden-wait,some-rule-to-come");
  std::vector<uint32_t> pageable(4);
  ASSERT_CU(api_.MemcpyDtoHAsync(pageable.data(), MakeMemory(16), 16, stream_));
  EXPECT_EQ(api_.Reports(nullptr), 0U);
  api_.Ignore(nullptr);
}

TEST_F(StreamTest, BlockingStreamsAndTheDefaultStreamWaitForEachOther) {
  cu::Stream blocking = nullptr;
  ASSERT_CU(api_.StreamCreate(&blocking, 0));
  uint32_t* log = MakePinned<uint32_t>(4);
  Close(blocking);
  ASSERT_CU(Append(log, 1, blocking));
  ASSERT_CU(Append(log, 2, nullptr));
  EXPECT_EQ(api_.StreamQuery(nullptr), Result::kErrorNotReady);
  Open();
  ASSERT_CU(api_.StreamSynchronize(nullptr));
  EXPECT_THAT(std::vector(log, log + 3), testing::ElementsAre(2, 1, 2));
  ASSERT_CU(api_.StreamDestroy(blocking));
}

TEST_F(StreamTest, TimesAreMeasuredBetweenEvents) {
  cu::Event begin = MakeEvent(cu::EventFlags::kDefault);
  cu::Event end = MakeEvent(cu::EventFlags::kDefault);
  cu::Event untimed = MakeEvent();
  float milliseconds = -1;
  ASSERT_CU(api_.EventRecord(begin, stream_));
  Close(stream_);
  ASSERT_CU(api_.EventRecord(end, stream_));
  EXPECT_EQ(api_.EventElapsedTime(&milliseconds, begin, end), Result::kErrorNotReady);
  Open();
  ASSERT_CU(api_.EventSynchronize(end));
  ASSERT_CU(api_.EventElapsedTime(&milliseconds, begin, end));
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(api_.EventElapsedTime(&milliseconds, begin, untimed), Result::kErrorInvalidHandle);
}

}  // namespace
}  // namespace halyard::sim
