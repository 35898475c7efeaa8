// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams, events, memory operations, host functions.
#include "cuda_sim_test.h"

namespace halyard::sim {
namespace {

using StreamTest = CudaSimTest;

TEST_F(StreamTest, OperationsOfAStreamAreInOrder) {
  uint32_t* log = MakePinned<uint32_t>(64);
  for (uint32_t i = 0; i < 50; ++i) ASSERT_CU(Append(log, i, stream_));
  ASSERT_CU(api_.cuStreamSynchronize(stream_));
  ASSERT_EQ(log[0], 50U);
  for (uint32_t i = 0; i < 50; ++i) EXPECT_EQ(log[i + 1], i);
}

TEST_F(StreamTest, WorkIsAsynchronous) {
  uint32_t* log = MakePinned<uint32_t>(4);
  Close(stream_);
  ASSERT_CU(Append(log, 7, stream_));
  EXPECT_EQ(api_.cuStreamQuery(stream_), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(log[0], 0U);
  Open();
  ASSERT_CU(api_.cuStreamSynchronize(stream_));
  EXPECT_EQ(log[0], 1U);
  EXPECT_CU(api_.cuStreamQuery(stream_));
}

TEST_F(StreamTest, AnUnrecordedEventHoldsNothingUp) {
  CUevent event = MakeEvent();
  EXPECT_CU(api_.cuEventQuery(event));
  ASSERT_CU(api_.cuStreamWaitEvent(stream_, event, 0));
  EXPECT_CU(api_.cuStreamSynchronize(stream_));
}

TEST_F(StreamTest, AWaitIsForTheRecordThatWasThere) {
  CUstream other = MakeStream();
  CUevent event = MakeEvent();
  ASSERT_CU(api_.cuEventRecord(event, stream_));
  ASSERT_CU(api_.cuStreamWaitEvent(other, event, 0));
  Close(stream_);
  ASSERT_CU(api_.cuEventRecord(event, stream_));  // arms it again, which the wait does not notice
  EXPECT_EQ(api_.cuEventQuery(event), CUDA_ERROR_NOT_READY);
  EXPECT_CU(api_.cuStreamSynchronize(other));
  Open();
  EXPECT_CU(api_.cuEventSynchronize(event));
}

TEST_F(StreamTest, EventsOrderStreams) {
  CUstream other = MakeStream();
  CUevent event = MakeEvent();
  uint32_t* log = MakePinned<uint32_t>(4);
  Close(stream_);
  ASSERT_CU(Append(log, 1, stream_));
  ASSERT_CU(api_.cuEventRecord(event, stream_));
  ASSERT_CU(api_.cuStreamWaitEvent(other, event, 0));
  ASSERT_CU(Append(log, 2, other));
  EXPECT_EQ(api_.cuStreamQuery(other), CUDA_ERROR_NOT_READY);
  Open();
  ASSERT_CU(api_.cuStreamSynchronize(other));
  EXPECT_THAT(std::vector(log, log + 3), testing::ElementsAre(2, 1, 2));
}

TEST_F(StreamTest, AWaitForAValueBlocksItsStreamUntilAnotherWrites) {
  CUstream other = MakeStream();
  uint64_t* word = MakePinned<uint64_t>(1);
  const auto address = reinterpret_cast<CUdeviceptr>(word);
  ASSERT_CU(api_.cuStreamWaitValue64_v2(stream_, address, 5, 0));
  ASSERT_CU(api_.cuStreamWriteValue64_v2(other, address, 4, 0));
  ASSERT_CU(api_.cuStreamSynchronize(other));
  EXPECT_EQ(api_.cuStreamQuery(stream_), CUDA_ERROR_NOT_READY);
  ASSERT_CU(api_.cuStreamWriteValue64_v2(other, address, 6, 0));
  EXPECT_CU(api_.cuStreamSynchronize(stream_));
}

TEST_F(StreamTest, MemoryOperationsComeInBatches) {
  uint64_t* words = MakePinned<uint64_t>(2);
  CUstreamBatchMemOpParams params[2] = {};
  for (size_t i = 0; i < 2; ++i) {
    params[i].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    params[i].writeValue.address = reinterpret_cast<CUdeviceptr>(words + i);
    params[i].writeValue.value64 = i + 1;
  }
  ASSERT_CU(api_.cuStreamBatchMemOp_v2(stream_, 2, params, 0));
  ASSERT_CU(api_.cuStreamSynchronize(stream_));
  EXPECT_EQ(words[0] + words[1], 3U);
}

TEST_F(StreamTest, AWriteOutsideOfMemoryIsReported) {
  static uint64_t unknown = 0;
  EXPECT_EQ(api_.cuStreamWriteValue64_v2(stream_, reinterpret_cast<CUdeviceptr>(&unknown), 1, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(TakeReports("out-of-bounds"), 1U);
}

TEST_F(StreamTest, HostFunctionsRunInOrder) {
  uint32_t* log = MakePinned<uint32_t>(4);
  const auto append = [](void* data) {
    auto* words = static_cast<uint32_t*>(data);
    words[++words[0]] = 9;
  };
  ASSERT_CU(Append(log, 1, stream_));
  ASSERT_CU(api_.cuLaunchHostFunc(stream_, append, log));
  ASSERT_CU(Append(log, 2, stream_));
  ASSERT_CU(api_.cuStreamSynchronize(stream_));
  EXPECT_THAT(std::vector(log, log + 4), testing::ElementsAre(3, 1, 9, 2));
}

TEST_F(StreamTest, AHostFunctionMayNotCall) {
  const auto call = [](void* data) { *static_cast<CUresult*>(data) = CudaApi::Get().cuCtxSynchronize(); };
  CUresult result = CUDA_SUCCESS;
  ASSERT_CU(api_.cuLaunchHostFunc(stream_, call, &result));
  ASSERT_CU(api_.cuStreamSynchronize(stream_));
  EXPECT_EQ(result, CUDA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(TakeReports("call-in-host-function"), 1U);
}

TEST_F(StreamTest, AStreamAtWorkIsNotDestroyed) {
  CUstream stream = nullptr;
  CUevent end = MakeEvent();
  ASSERT_CU(api_.cuStreamCreate(&stream, 1));
  Close(stream);
  ASSERT_CU(api_.cuEventRecord(end, stream));
  EXPECT_CU(api_.cuStreamDestroy_v2(stream));
  EXPECT_EQ(TakeReports("destroy-in-use"), 1U);
  Open();
  EXPECT_CU(api_.cuEventSynchronize(end));  // what was submitted is still carried out
  EXPECT_EQ(api_.cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(TakeReports("invalid-handle"), 1U);
}

TEST_F(StreamTest, AnEventInUseIsNotDestroyed) {
  CUevent event = nullptr;
  ASSERT_CU(api_.cuEventCreate(&event, 0));
  Close(stream_);
  ASSERT_CU(api_.cuEventRecord(event, stream_));
  EXPECT_CU(api_.cuEventDestroy_v2(event));
  EXPECT_EQ(TakeReports("destroy-in-use"), 1U);
}

TEST_F(StreamTest, RulesCanBeIgnored) {
  api_.Ignore("hidden-wait,some-rule-to-come");
  std::vector<uint32_t> pageable(4);
  ASSERT_CU(api_.cuMemcpyDtoHAsync_v2(pageable.data(), MakeMemory(16), 16, stream_));
  EXPECT_EQ(api_.Reports(nullptr), 0U);
  api_.Ignore(nullptr);
}

TEST_F(StreamTest, BlockingStreamsAndTheDefaultStreamWaitForEachOther) {
  CUstream blocking = nullptr;
  ASSERT_CU(api_.cuStreamCreate(&blocking, 0));
  uint32_t* log = MakePinned<uint32_t>(4);
  Close(blocking);
  ASSERT_CU(Append(log, 1, blocking));
  ASSERT_CU(Append(log, 2, nullptr));
  EXPECT_EQ(api_.cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
  Open();
  ASSERT_CU(api_.cuStreamSynchronize(nullptr));
  EXPECT_THAT(std::vector(log, log + 3), testing::ElementsAre(2, 1, 2));
  ASSERT_CU(api_.cuStreamDestroy_v2(blocking));
}

TEST_F(StreamTest, TimesAreMeasuredBetweenEvents) {
  CUevent begin = MakeEvent(CU_EVENT_DEFAULT);
  CUevent end = MakeEvent(CU_EVENT_DEFAULT);
  CUevent untimed = MakeEvent();
  float milliseconds = -1;
  ASSERT_CU(api_.cuEventRecord(begin, stream_));
  Close(stream_);
  ASSERT_CU(api_.cuEventRecord(end, stream_));
  EXPECT_EQ(api_.cuEventElapsedTime(&milliseconds, begin, end), CUDA_ERROR_NOT_READY);
  Open();
  ASSERT_CU(api_.cuEventSynchronize(end));
  ASSERT_CU(api_.cuEventElapsedTime(&milliseconds, begin, end));
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(api_.cuEventElapsedTime(&milliseconds, begin, untimed), CUDA_ERROR_INVALID_HANDLE);
}

}  // namespace
}  // namespace halyard::sim
