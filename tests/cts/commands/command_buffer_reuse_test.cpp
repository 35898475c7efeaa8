// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How often a command buffer may be executed: one-shot recordings once, others many times, at the same time too.
#include <cstdint>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"

namespace halyard::cts {
namespace {

using testing::Each;

// --- Once ---

class OneShotTest : public DeviceTest {
 protected:
  /// Executes without waits and waits for the end.
  hal_status_t Run(const CommandBuffer& commands, const std::vector<Ref>& table = {}) const {
    const Semaphore done = CreateSemaphore();
    const hal_status_t status = device().QueueExecute(kNoWaits, {{done, 1}}, commands, table);
    return status == HAL_STATUS_OK ? done.Wait(1) : status;
  }
};

TEST_F(OneShotTest, IsExecutedOnce) {
  const CommandBuffer commands = device().Record([](const CommandBuffer&) {}, HAL_COMMAND_BUFFER_ONE_SHOT);
  EXPECT_OK(Run(commands));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, Run(commands));
}

TEST_F(OneShotTest, DeferredCountsAsExecuted) {
  const CommandBuffer commands = device().Record([](const CommandBuffer&) {}, HAL_COMMAND_BUFFER_ONE_SHOT);
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueExecute({{gate, 1}}, {{done, 1}}, commands));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, Run(commands));
  ASSERT_OK(gate.Signal(1));
  EXPECT_OK(done.Wait(1));
}

TEST_F(OneShotTest, RefusedSubmissionDoesNotCount) {
  const Buffer buffer = device().CreateBufferOf(Counting(4));
  const CommandBuffer commands = device().Record(
      [](const CommandBuffer& c) { Check(c.Fill(Slot(0), uint32_t{3}), "fill"); }, HAL_COMMAND_BUFFER_ONE_SHOT, 1);
  ASSERT_NE(Run(commands), HAL_STATUS_OK);  // without its table
  EXPECT_OK(Run(commands, {buffer}));
  EXPECT_THAT(Download<uint32_t>(buffer), Each(3u));
}

TEST_F(OneShotTest, RacingSubmissionsHaveOneWinner) {
  for (int round = 0; round < 20; ++round) {
    const CommandBuffer commands = device().Record([](const CommandBuffer&) {}, HAL_COMMAND_BUFFER_ONE_SHOT);
    Counter winners;
    OnThreads(4, [&](size_t) {
      const hal_status_t status = Run(commands);
      EXPECT_THAT(status, testing::AnyOf(HAL_STATUS_OK, HAL_STATUS_FAILED_PRECONDITION));
      if (status == HAL_STATUS_OK) winners.Add();
    });
    EXPECT_EQ(winners.count(), 1u);
  }
}

// --- Many times ---

/// How often a command buffer is executed.
class CommandBufferReuseTest : public DeviceTestWith<Number> {
 protected:
  CommandBuffer RecordAddOne(const Ref& target, uint32_t capacity = 0) const {
    return device().Record(
        [&](const CommandBuffer& c) { Check(c.Dispatch(kernels_, "add_one", Dispatch().Bind(target)), "dispatch"); }, 0,
        capacity);
  }

  const Executable kernels_ = LoadKernels("basic");
  const Buffer buffer_ = device().CreateBufferOf(Counting(64));
};

TEST_P(CommandBufferReuseTest, OneAfterTheOther) {
  const CommandBuffer commands = RecordAddOne(buffer_);
  const Semaphore done = CreateSemaphore();
  for (uint64_t i = 0; i < GetParam(); ++i) {
    ASSERT_OK(device().QueueExecute(kNoWaits, {{done, i + 1}}, commands));
    ASSERT_OK(done.Wait(i + 1));
  }
  EXPECT_TRUE(SameElements(Download<uint32_t>(buffer_), Counting(64, static_cast<uint32_t>(GetParam()))));
}

TEST_P(CommandBufferReuseTest, InAChainQueuedUpFront) {
  const CommandBuffer commands = RecordAddOne(buffer_);
  const Semaphore done = CreateSemaphore();
  for (uint64_t i = 1; i <= GetParam(); ++i) {
    ASSERT_OK(device().QueueExecute({{done, i}}, {{done, i + 1}}, commands, {}, device().Queue(i)));
  }
  ASSERT_OK(done.Signal(1));
  ASSERT_OK(done.Wait(GetParam() + 1));
  EXPECT_TRUE(SameElements(Download<uint32_t>(buffer_), Counting(64, static_cast<uint32_t>(GetParam()))));
}

// All submissions are released at once; each has a buffer of its own.
TEST_P(CommandBufferReuseTest, InFlightAtOnce) {
  const CommandBuffer commands = RecordAddOne(Slot(0), 1);
  const Semaphore gate = CreateSemaphore();
  std::vector<Buffer> buffers;
  std::vector<Semaphore> done;
  for (uint32_t i = 0; i < GetParam(); ++i) {
    buffers.push_back(device().CreateBufferOf(Counting(64, i)));
    done.push_back(CreateSemaphore());
    ASSERT_OK(device().QueueExecute({{gate, 1}}, {{done[i], 1}}, commands, {buffers[i]}, device().Queue(i)));
  }
  ASSERT_OK(gate.Signal(1));
  for (uint32_t i = 0; i < GetParam(); ++i) {
    ASSERT_OK(done[i].Wait(1));
    EXPECT_TRUE(SameElements(Download<uint32_t>(buffers[i]), Counting(64, i + 1)));
  }
}

TEST_P(CommandBufferReuseTest, FromThreadsAtOnce) {
  const CommandBuffer commands = RecordAddOne(Slot(0), 1);
  OnThreads(4, [&](size_t thread) {
    const auto first = static_cast<uint32_t>(1000 * thread);
    const Buffer buffer = device().CreateBufferOf(Counting(64, first));
    const Semaphore done = CreateSemaphore();
    for (uint64_t i = 0; i < GetParam(); ++i) {
      ASSERT_OK(device().QueueExecute({{done, i}}, {{done, i + 1}}, commands, {buffer}));
    }
    ASSERT_OK(done.Wait(GetParam()));
    EXPECT_TRUE(
        SameElements(Download<uint32_t>(buffer), Counting(64, first + static_cast<uint32_t>(GetParam().value))));
  });
}

INSTANTIATE_TEST_SUITE_P(Times, CommandBufferReuseTest, Numbers("Times", {1, 2, 10, 100}), ByNameOf);

}  // namespace
}  // namespace halyard::cts
