// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is done of an operation when it is submitted, before its waits have ended: by the calls that are made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "simulation.h"
#include "vulkan_test.h"

namespace halyard::vulkan {
namespace {

using cts::Buffer;
using cts::CommandBuffer;
using cts::Device;
using cts::Dispatch;
using cts::Executable;
using cts::kNoWaits;
using cts::Ref;
using cts::Semaphore;

constexpr size_t kElements = 64;
constexpr uint64_t kElementsSize = kElements * sizeof(uint32_t);
constexpr uint32_t kOtherSize = 16;  // of a workgroup; add_one has 64

class AheadTest : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(simulation_.Reports(), 0u); }

  static Dispatch AddOne(const Ref& words) {
    return Dispatch().Workgroups(kElements / kOtherSize).WorkgroupSize(kOtherSize).Bind(words);
  }
  void ExpectCalls(uint64_t pipelines, uint64_t recordings) const {
    EXPECT_EQ(simulation_.Calls("vkCreateComputePipelines"), pipelines);
    EXPECT_EQ(simulation_.Calls("vkBeginCommandBuffer"), recordings);
    simulation_.Reset();
  }
  void ExpectAll(uint32_t word) const {
    EXPECT_EQ(device_.Download<uint32_t>(words_), std::vector<uint32_t>(kElements, word));
  }

  const Device device_ = OpenAnew("?queues=1");
  const Simulation simulation_;
  const Executable kernels_ = device_.LoadKernels("basic");
  const Buffer words_ = device_.CreateBufferOf(std::vector<uint32_t>(kElements, 0), cts::Mappable());
  const Semaphore gate_ = device_.CreateSemaphore();
  const Semaphore done_ = device_.CreateSemaphore();
};

TEST_F(AheadTest, ADeferredDispatchIsCompiledAndRecordedWhenItIsSubmitted) {
  simulation_.Reset();
  ASSERT_OK(device_.QueueDispatch({{gate_, 1}}, {{done_, 1}}, kernels_, "add_one", AddOne(words_)));
  ExpectCalls(1, 1);
  ASSERT_OK(gate_.Signal(1));
  ASSERT_OK(done_.Wait(1));
  ExpectCalls(0, 0);
  ExpectAll(1);
}

// Its memory is not known before its turn.
TEST_F(AheadTest, ADispatchInAQueueAllocationIsCompiledWhenItIsSubmitted) {
  Buffer words;
  ASSERT_OK(device_.QueueAlloca({{gate_, 1}}, {{gate_, 2}}, kElementsSize, &words));
  simulation_.Reset();
  ASSERT_OK(device_.QueueDispatch({{gate_, 2}}, {{done_, 1}}, kernels_, "add_one", AddOne(words)));
  ExpectCalls(1, 0);
  ASSERT_OK(gate_.Signal(1));
  ASSERT_OK(done_.Wait(1));
  ExpectCalls(0, 1);
  ASSERT_OK(device_.QueueDealloca({{done_, 1}}, {{done_, 2}}, words));
  ASSERT_OK(done_.Wait(2));
}

TEST_F(AheadTest, DispatchesOfACommandBufferAreCompiledWhenItEnds) {
  simulation_.Reset();
  const auto record = [this](const CommandBuffer& recording) {
    for (int i = 0; i < 3; ++i) {
      ASSERT_OK(recording.Dispatch(kernels_, "add_one", AddOne(cts::Slot(0))));
      ASSERT_OK(recording.Barrier());
    }
  };
  const CommandBuffer commands = device_.Record(record, 0, 1);
  ExpectCalls(1, 0);
  ASSERT_OK(device_.QueueExecute(kNoWaits, {{done_, 1}}, commands, {words_}));
  ASSERT_OK(done_.Wait(1));
  ExpectCalls(0, 1);
  ExpectAll(3);
}

// So that any number of operations can be deferred.
TEST_F(AheadTest, ManyDeferredOperationsHoldAThousandRecordings) {
  constexpr uint32_t kMost = 1024;
  constexpr uint32_t kOperations = kMost + 10;
  simulation_.Reset();
  for (uint32_t i = 1; i <= kOperations; ++i) {
    ASSERT_OK(device_.QueueFill({{gate_, i}}, {{gate_, i + 1}}, words_, i));
  }
  ExpectCalls(0, kMost);
  ASSERT_OK(gate_.Signal(1));
  ASSERT_OK(gate_.Wait(kOperations + 1));
  ExpectCalls(0, kOperations - kMost);
  ExpectAll(kOperations);
}

TEST_F(AheadTest, AFailedWaitGivesTheRecordingBack) {
  for (int i = 0; i < 3; ++i) {
    const Semaphore gate = device_.CreateSemaphore();
    const Semaphore done = device_.CreateSemaphore();
    ASSERT_OK(device_.QueueFill({{gate, 1}}, {{done, 1}}, words_, uint32_t{7}));
    if (i == 0) simulation_.Reset();
    ASSERT_OK(gate.Fail(HAL_STATUS_CANCELLED));
    EXPECT_STATUS(HAL_STATUS_CANCELLED, done.Wait(1));
  }
  EXPECT_EQ(simulation_.Calls("vkCreateCommandPool"), 0u);
  ExpectAll(0);
}

TEST_F(AheadTest, WhatFailsAheadIsToldAfterTheWaits) {
  const Semaphore failed = device_.CreateSemaphore();
  simulation_.Fail("vkBeginCommandBuffer", 1, VK_ERROR_OUT_OF_HOST_MEMORY);
  ASSERT_OK(device_.QueueFill({{gate_, 1}}, {{failed, 1}}, words_, uint32_t{7}));
  EXPECT_OK(failed.Query());
  ASSERT_OK(gate_.Signal(1));
  EXPECT_STATUS(HAL_STATUS_RESOURCE_EXHAUSTED, failed.Wait(1));
  EXPECT_THAT(hal_last_error_message(), testing::HasSubstr("vkBeginCommandBuffer"));
  ASSERT_OK(device_.QueueFill({{gate_, 1}}, {{done_, 1}}, words_, uint32_t{8}));
  ASSERT_OK(done_.Wait(1));
  ExpectAll(8);
}

}  // namespace
}  // namespace halyard::vulkan
