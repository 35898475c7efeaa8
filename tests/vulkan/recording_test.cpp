// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What command buffers are recorded as, and what an execution with other buffers costs: by the calls that are made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "simulation.h"
#include "vulkan_test.h"

namespace halyard::vulkan {
namespace {

using cts::Buffer;
using cts::Check;
using cts::CommandBuffer;
using cts::Device;
using cts::Dispatch;
using cts::Executable;
using cts::kNoWaits;
using cts::Ref;
using cts::Semaphore;

constexpr size_t kWords = 64;  // that a workgroup of add_one works on
constexpr uint64_t kBytes = kWords * sizeof(uint32_t);

class RecordingTest : public testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(simulation_.Reports(), 0u);
    unsetenv(kUpdates);
    unsetenv(kHidden);
  }

  /// Also of a device that can.
  static void UpdateAfterBind(bool can) {
    setenv(kUpdates, can ? "1" : "0", 1);
    setenv(kHidden, can ? "" : "descriptorBindingStorageBufferUpdateAfterBind", 1);
  }
  static Buffer Zeros(const Device& device) {
    return device.CreateBufferOf(std::vector<uint32_t>(kWords, 0), cts::Mappable());
  }
  static void Execute(const Device& device, const CommandBuffer& commands, const std::vector<Ref>& table) {
    const Semaphore done = device.CreateSemaphore();
    ASSERT_EQ(device.QueueExecute(kNoWaits, {{done, 1}}, commands, table), HAL_STATUS_OK) << hal_last_error_message();
    ASSERT_EQ(done.Wait(1), HAL_STATUS_OK) << hal_last_error_message();
  }
  static void ExpectAll(const Device& device, const Buffer& buffer, uint32_t word) {
    EXPECT_EQ(device.Download<uint32_t>(buffer), std::vector<uint32_t>(kWords, word));
  }

  const Simulation simulation_;

 private:
  static constexpr const char* kUpdates = "HALYARD_SIM_VULKAN_UPDATE_AFTER_BIND";
  static constexpr const char* kHidden = "HALYARD_SIM_VULKAN_HIDE";
};

/// One dispatch of slot 0, and of a buffer that stays.
class TableTest : public RecordingTest {
 protected:
  void Make(bool can_update) {
    UpdateAfterBind(can_update);
    device_ = OpenAnew();
    kernels_ = device_.LoadKernels("basic");
    for (Buffer& buffer : buffers_) buffer = Zeros(device_);
    fixed_ = Zeros(device_);
  }
  CommandBuffer Record(bool fills) {
    const auto record = [this, fills](const CommandBuffer& recording) {
      if (fills) {
        Check(recording.Fill(cts::Slot(0, 0, kBytes), uint32_t{5}), "fill");
        Check(recording.Barrier(), "barrier");
      }
      Check(recording.Dispatch(kernels_, "add_one", Dispatch().Bind(cts::Slot(0, 0, kBytes))), "add_one");
      Check(recording.Dispatch(kernels_, "add_one", Dispatch().Bind(Ref(fixed_, 0, kBytes))), "add_one");
    };
    return device_.Record(record, 0, 1);
  }
  void Run(const CommandBuffer& commands, const Buffer& buffer) {
    Execute(device_, commands, {Ref(buffer, 0, kBytes)});
  }

  Device device_;
  Executable kernels_;
  static constexpr size_t kKept = 4;  // recordings of a command buffer
  Buffer buffers_[kKept + 2];
  Buffer fixed_;
};

TEST_F(TableTest, AnotherBufferForADispatchWritesItsSetAgain) {
  Make(true);
  const CommandBuffer commands = Record(false);
  for (size_t i = 0; i < kKept; ++i) Run(commands, buffers_[i]);
  for (int round = 0; round < 10; ++round) {
    const Buffer& other = buffers_[kKept + static_cast<size_t>(round % 2)];
    simulation_.Reset();
    Run(commands, other);
    EXPECT_EQ(simulation_.Calls("vkBeginCommandBuffer"), 0u);
    EXPECT_LE(simulation_.Calls("vkUpdateDescriptorSets"), 1u) << "the set of the other dispatch stays";
  }
  for (size_t i = 0; i < kKept; ++i) ExpectAll(device_, buffers_[i], 1);
  ExpectAll(device_, buffers_[kKept], 5);
  ExpectAll(device_, buffers_[kKept + 1], 5);
  ExpectAll(device_, fixed_, 14);
}

TEST_F(TableTest, AnotherBufferForAFillRecordsAgain) {
  Make(true);
  const CommandBuffer commands = Record(true);
  for (size_t i = 0; i < kKept; ++i) Run(commands, buffers_[i]);
  simulation_.Reset();
  Run(commands, buffers_[kKept]);
  EXPECT_EQ(simulation_.Calls("vkBeginCommandBuffer"), 1u);
  for (size_t i = 0; i <= kKept; ++i) ExpectAll(device_, buffers_[i], 6);
}

TEST_F(TableTest, WithoutUpdatesAnotherBufferRecordsAgain) {
  Make(false);
  const CommandBuffer commands = Record(false);
  for (size_t i = 0; i < kKept; ++i) Run(commands, buffers_[i]);
  simulation_.Reset();
  Run(commands, buffers_[kKept]);
  EXPECT_EQ(simulation_.Calls("vkBeginCommandBuffer"), 1u);
  for (size_t i = 0; i <= kKept; ++i) ExpectAll(device_, buffers_[i], 1);
}

TEST_F(TableTest, BuffersThatComeAgainCostNothing) {
  Make(true);
  const CommandBuffer commands = Record(false);
  for (size_t i = 0; i < kKept; ++i) Run(commands, buffers_[i]);
  simulation_.Reset();
  for (size_t i = 0; i < kKept; ++i) Run(commands, buffers_[i]);
  EXPECT_EQ(simulation_.Calls(), kKept) << "the submissions";
  for (size_t i = 0; i < kKept; ++i) ExpectAll(device_, buffers_[i], 2);
}

TEST_F(RecordingTest, DispatchesOfOneKernelShareWhatTheyBind) {
  const Device device = OpenAnew();
  const Executable kernels = device.LoadKernels("basic");
  const Buffer one = Zeros(device);
  const Buffer other = Zeros(device);
  const auto add_one = [&](const CommandBuffer& recording, const Buffer& buffer) {
    Check(recording.Dispatch(kernels, "add_one", Dispatch().Bind(Ref(buffer, 0, kBytes))), "add_one");
    Check(recording.Barrier(), "barrier");
  };
  const CommandBuffer commands = device.Record([&](const CommandBuffer& recording) {
    for (int i = 0; i < 100; ++i) add_one(recording, one);
    for (int i = 0; i < 50; ++i) add_one(recording, other);
  });
  simulation_.Reset();
  Execute(device, commands, {});
  EXPECT_EQ(simulation_.Calls("vkCmdBindPipeline"), 1u);
  EXPECT_EQ(simulation_.Calls("vkCmdBindDescriptorSets"), 2u);
  EXPECT_EQ(simulation_.Calls("vkCmdDispatch"), 150u);
  ExpectAll(device, one, 100);
  ExpectAll(device, other, 50);
}

TEST_F(RecordingTest, LongCommandBuffersAreSplitAtBarriers) {
  const Device device = OpenAnew("?commands_per_submission=2");
  const Executable kernels = device.LoadKernels("basic");
  const Buffer data = Zeros(device);
  const CommandBuffer commands = device.Record([&](const CommandBuffer& recording) {
    for (int i = 0; i < 7; ++i) {
      Check(recording.Dispatch(kernels, "add_one", Dispatch().Bind(Ref(data, 0, kBytes))), "add_one");
      Check(recording.Barrier(), "barrier");
    }
  });
  simulation_.Reset();
  Execute(device, commands, {});
  EXPECT_EQ(simulation_.Calls("vkQueueSubmit2"), 4u);
  ExpectAll(device, data, 7);
}

TEST_F(RecordingTest, AKernelCopiesWholeGroups) {
  const Device device = OpenAnew("?transfers=kernel");
  const Buffer source = device.CreateBufferOf(std::vector<uint8_t>(1000, 3), cts::Mappable());
  const Buffer target = device.CreateBufferOf(std::vector<uint8_t>(1000, 0), cts::Mappable());
  const CommandBuffer commands = device.Record(
      [&](const CommandBuffer& recording) { Check(recording.Copy(Ref(source, 5, 900), Ref(target, 3, 900)), "copy"); });
  simulation_.Reset();
  Execute(device, commands, {});
  EXPECT_EQ(simulation_.Calls("vkCmdDispatch"), 1u);
  EXPECT_EQ(simulation_.Calls("vkCmdCopyBuffer"), 2u) << "the bytes at both ends";
  std::vector<uint8_t> expected(1000, 0);
  std::fill_n(expected.begin() + 3, 900, uint8_t{3});
  EXPECT_EQ(device.Download<uint8_t>(target), expected);
}

TEST_F(RecordingTest, CountsOfABarrierIntervalAreCheckedTogether) {
  const Device device = OpenAnew();
  const Executable kernels = device.LoadKernels("basic");
  const Buffer data = Zeros(device);
  const Buffer other = Zeros(device);
  const Buffer counts = device.CreateBufferOf(std::vector<uint32_t>{1, 1, 1});
  const CommandBuffer commands = device.Record([&](const CommandBuffer& recording) {
    for (const Buffer& buffer : {data, other}) {
      Check(
          recording.Dispatch(kernels, "add_one", Dispatch().Bind(Ref(buffer, 0, kBytes)).Indirect(Ref(counts, 0, 12))),
          "add_one");
    }
  });
  simulation_.Reset();
  Execute(device, commands, {});
  EXPECT_EQ(simulation_.Calls("vkCmdDispatch"), 2u) << "the checks";
  EXPECT_EQ(simulation_.Calls("vkCmdDispatchIndirect"), 2u);
  EXPECT_EQ(simulation_.Calls("vkCmdPipelineBarrier2"), 2u) << "behind the checks, and to the host in the end";
  ExpectAll(device, data, 1);
  ExpectAll(device, other, 1);
}

TEST_F(RecordingTest, CountsThatAreTrustedAreNotChecked) {
  const Device device = OpenAnew();
  const Executable kernels = device.LoadKernels("basic");
  const Buffer data = Zeros(device);
  const Buffer counts = device.CreateBufferOf(std::vector<uint32_t>{1, 1, 1});
  const auto record = [&](const CommandBuffer& recording) {
    Check(recording.Dispatch(kernels, "add_one", Dispatch().Bind(Ref(data, 0, kBytes)).Indirect(Ref(counts, 0, 12))),
          "add_one");
  };
  const CommandBuffer commands = device.Record(record, HAL_COMMAND_BUFFER_UNVALIDATED);
  simulation_.Reset();
  Execute(device, commands, {});
  EXPECT_EQ(simulation_.Calls("vkCmdDispatch"), 0u);
  EXPECT_EQ(simulation_.Calls("vkCmdDispatchIndirect"), 1u);
  ExpectAll(device, data, 1);
}

TEST_F(RecordingTest, DebugGroupsAreLabels) {
  const Device device = OpenAnew();
  const Buffer data = Zeros(device);
  const CommandBuffer commands = device.Record([&](const CommandBuffer& recording) {
    Check(recording.BeginDebugGroup("outer"), "begin");
    Check(recording.Fill(Ref(data, 0, kBytes), uint32_t{2}), "fill");
    Check(recording.EndDebugGroup(), "end");
  });
  simulation_.Reset();
  Execute(device, commands, {});
  EXPECT_EQ(simulation_.Calls("vkCmdBeginDebugUtilsLabelEXT"), 1u);
  EXPECT_EQ(simulation_.Calls("vkCmdEndDebugUtilsLabelEXT"), 1u);
  ExpectAll(device, data, 2);
}

TEST_F(RecordingTest, ATrimFreesRecordingsThatIdle) {
  constexpr uint64_t kAtOnce = 32;
  const Device device = OpenAnew();
  const Buffer data = Zeros(device);
  const Semaphore gate = device.CreateSemaphore();
  const Semaphore done = device.CreateSemaphore();
  simulation_.Reset();
  for (uint64_t i = 1; i <= kAtOnce; ++i) {
    Check(device.QueueFill({{gate, 1}, {done, i - 1}}, {{done, i}}, data, static_cast<uint32_t>(i)), "fill");
  }
  Check(gate.Signal(1), "signal");
  ASSERT_EQ(done.Wait(kAtOnce), HAL_STATUS_OK) << hal_last_error_message();
  const uint64_t made = simulation_.Calls("vkCreateCommandPool");
  EXPECT_GT(made, 1u);
  Check(hal_allocator_trim(device.allocator()), "trim");
  EXPECT_EQ(simulation_.Calls("vkDestroyCommandPool"), made);
  Check(device.QueueFill({}, {{done, kAtOnce + 1}}, data, uint32_t{7}), "fill");
  ASSERT_EQ(done.Wait(kAtOnce + 1), HAL_STATUS_OK) << hal_last_error_message();
  ExpectAll(device, data, 7);
}

}  // namespace
}  // namespace halyard::vulkan
