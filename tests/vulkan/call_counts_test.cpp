// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many calls of Vulkan, objects of Vulkan and allocations a warm submission needs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "allocations/counting_allocator.h"
#include "cts/cts.h"
#include "simulation.h"

namespace halyard::vulkan {
namespace {

using cts::Buffer;
using cts::Check;
using cts::CommandBuffer;
using cts::Device;
using cts::Dispatch;
using cts::Executable;
using cts::Ref;
using cts::Semaphore;

constexpr uint64_t kGroup = 256;  // bytes that a workgroup of add_one works on

class CallCountsTest : public testing::Test {
 protected:
  using Submit = std::function<hal_status_t(const cts::Points& waits, const cts::Points& signals)>;

  CallCountsTest() {
    const CommandBuffer commands = device_.Record([&](const CommandBuffer& recording) {
      Check(recording.Fill(Ref(data_, 2 * kGroup, 64), uint32_t{1}), "fill");
      Check(recording.Barrier(), "barrier");
      Check(recording.Dispatch(kernels_, "add_one", AddOne(2)), "add_one");
    });
    barrier_ = [this](const auto& w, const auto& s) { return device_.QueueBarrier(w, s); };
    fill_ = [this](const auto& w, const auto& s) { return device_.QueueFill(w, s, Ref(data_, 0, 64), uint32_t{7}); };
    dispatch_ = [this](const auto& w, const auto& s) {
      return device_.QueueDispatch(w, s, kernels_, "add_one", AddOne(0));
    };
    execute_ = [this, commands](const auto& w, const auto& s) { return device_.QueueExecute(w, s, commands); };
  }
  void TearDown() override { EXPECT_EQ(simulation_.Reports(), 0u); }

  static Device Open() {
    Device device;
    Check(hal_device_create(cts::View("vulkan://0?queues=2"), device.out()), "hal_device_create");
    return device;
  }
  Dispatch AddOne(uint64_t group) const { return Dispatch().Bind(Ref(data_, group * kGroup, kGroup)); }

  void Run(const Submit& submit) {
    const cts::Points waits = {{timeline_, value_}};
    const cts::Points signals = {{timeline_, ++value_}};
    ASSERT_EQ(submit(waits, signals), HAL_STATUS_OK) << hal_last_error_message();
    ASSERT_EQ(timeline_.Wait(value_), HAL_STATUS_OK) << hal_last_error_message();
  }
  void Warm(const Submit& submit) {
    for (int i = 0; i < 100; ++i) Run(submit);
  }
  /// The calls that a warm submission makes.
  uint64_t CallsOf(const Submit& submit) {
    Warm(submit);
    simulation_.Reset();
    Run(submit);
    return simulation_.Calls();
  }
  /// A thread of the device may grow something in some rounds, but not in all of them.
  uint64_t FewestAllocations(const Submit& submit) {
    Warm(submit);
    uint64_t fewest = UINT64_MAX;
    for (int i = 0; i < 32; ++i) {
      const uint64_t before = allocations::LibraryAllocations();
      Run(submit);
      fewest = std::min(fewest, allocations::LibraryAllocations() - before);
    }
    return fewest;
  }

  const Device device_ = Open();
  const Simulation simulation_;
  const Executable kernels_ = device_.LoadKernels("basic");
  const Semaphore timeline_ = device_.CreateSemaphore();
  const Buffer data_ = device_.CreateBuffer(4 * kGroup);
  uint64_t value_ = 0;
  Submit barrier_;
  Submit fill_;
  Submit dispatch_;
  Submit execute_;
};

TEST_F(CallCountsTest, ABarrierMakesNoCall) { EXPECT_EQ(CallsOf(barrier_), 0u); }

TEST_F(CallCountsTest, AnExecutionOfWhatIsRecordedMakesOneCall) {
  EXPECT_EQ(CallsOf(execute_), 1u);
  EXPECT_EQ(simulation_.Calls("vkQueueSubmit2"), 1u);
}

// Both pools, the beginning and the end of the recording, the command, a barrier to the host, the submission.
TEST_F(CallCountsTest, AFillMakesFewCalls) {
  EXPECT_LE(CallsOf(fill_), 7u);
  EXPECT_EQ(simulation_.Calls("vkQueueSubmit2"), 1u);
}

// Beside those its pipeline and its set.
TEST_F(CallCountsTest, ADispatchMakesFewCalls) {
  EXPECT_LE(CallsOf(dispatch_), 11u);
  EXPECT_EQ(simulation_.Calls("vkQueueSubmit2"), 1u);
  EXPECT_EQ(simulation_.Calls("vkCmdDispatch"), 1u);
}

// Sixteen operations fit one call.
TEST_F(CallCountsTest, WhatOneSignalReleasesIsSubmittedTogether) {
  constexpr uint64_t kOperations = 160;
  const Semaphore gate = device_.CreateSemaphore();
  const cts::Points waits = {{gate, 1}};
  std::vector<Semaphore> ends;
  simulation_.Reset();
  for (uint64_t i = 0; i < kOperations; ++i) {
    ends.push_back(device_.CreateSemaphore());
    ASSERT_EQ(dispatch_(waits, {{ends.back(), 1}}), HAL_STATUS_OK) << hal_last_error_message();
  }
  ASSERT_EQ(gate.Signal(1), HAL_STATUS_OK);
  for (const Semaphore& end : ends) ASSERT_EQ(end.Wait(1), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(simulation_.Calls("vkCmdDispatch"), kOperations);
  EXPECT_LE(simulation_.Calls("vkQueueSubmit2"), 2 * kOperations / 16) << "they may be on two queues";
}

TEST_F(CallCountsTest, OnceWarmSubmissionsAllocateNothing) {
  EXPECT_EQ(FewestAllocations(barrier_), 0u);
  EXPECT_EQ(FewestAllocations(fill_), 0u);
  EXPECT_EQ(FewestAllocations(dispatch_), 0u);
  EXPECT_EQ(FewestAllocations(execute_), 0u);
}

TEST_F(CallCountsTest, OnceWarmSubmissionsMakeNoObject) {
  for (const Submit& submit : {barrier_, fill_, dispatch_, execute_}) Warm(submit);
  simulation_.Reset();
  const uint64_t objects = simulation_.Objects();
  for (const Submit& submit : {barrier_, fill_, dispatch_, execute_}) Warm(submit);
  EXPECT_LE(simulation_.Objects(), objects);
  for (const char* makes : {"vkAllocateMemory", "vkCreateBuffer", "vkCreateCommandPool", "vkCreateDescriptorPool",
                            "vkCreateComputePipelines", "vkCreateSemaphore"}) {
    EXPECT_EQ(simulation_.Calls(makes), 0u) << makes;
  }
}

TEST_F(CallCountsTest, AHostWaitMakesNoCallOnceItsEndIsKnown) {
  Run(fill_);
  simulation_.Reset();
  EXPECT_EQ(timeline_.Wait(1), HAL_STATUS_OK);
  EXPECT_EQ(simulation_.Calls(), 0u);
}

}  // namespace
}  // namespace halyard::vulkan
